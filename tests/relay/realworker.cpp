// SPDX-License-Identifier: MIT
// The real worker on nodes: a late rank where clocks are minutes apart, and the network that gradients go over.
#include "core/stats/lateness.h"
#include "core/stats/quantile.h"
#include "tests/relay/democluster.h"
#include "tests/support/built.h"

#include <cstdlib>
#include <fstream>
#include <map>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::milliseconds kRunLimit{180'000};
constexpr int kRanks = 3, kLateRank = 2, kIterations = 60, kWarmup = 10;
constexpr double kDelayMs = 40;
constexpr std::int64_t kMinute = 60'000'000'000;

/// In a shell: the late rank copies its batches slowly.
std::string delay()
{
    return fmt::format("[ \"${{OMPI_COMM_WORLD_RANK:-$SLURM_PROCID}}\" != {} ] || set -- \"$@\" --delay copy={}\n",
                       kLateRank, kDelayMs);
}

/// The path of the worker, as the cluster names it, which does `first` before; empty if this build has none.
std::string installWorker(DemoCluster& cluster, const std::string& first)
{
    const fs::path built = builtProgram("ringside-worker");
    if (!fs::exists(built)) {
        MESSAGE("skipped: this build has no worker");
        return {};
    }
    const fs::path bin = cluster.home() / "bin";
    const std::string there = std::string(DemoCluster::kHome) + "/bin/";
    fs::copy_file(built, bin / "ringside-worker", fs::copy_options::overwrite_existing);
    std::ofstream(bin / "wrapped-worker") << "#!/bin/sh\nexport LD_LIBRARY_PATH=$(echo /srv/torch/*/lib)\n"
                                          << first << "exec " << there << "ringside-worker \"$@\"\n";
    fs::permissions(bin / "wrapped-worker", fs::perms(0755));
    return there + "wrapped-worker";
}

/// The cluster and what installWorker() says; no path either where there is no cluster.
std::pair<DemoCluster*, std::string> clusterWithWorker(const std::string& first)
{
    DemoCluster* cluster = DemoCluster::get();
    return {cluster, cluster ? installWorker(*cluster, first) : std::string()};
}

RunSpec lenet(int ranks = kRanks)
{
    RunSpec run = onNodes(ranks, kIterations);
    run.warmup = kWarmup;
    run.plan.name = "buckets";
    run.plan.collective = Collective::allreduce;
    run.plan.grouping = Grouping::buckets;
    run.plan.schedule = Schedule::overlapped;
    run.settings = Settings{{"model", Value(std::string("lenet"))},     {"image_size", Value(std::int64_t{32})},
                            {"batch_per_rank", Value(std::int64_t{4})}, {"ranks", Value(std::int64_t{ranks})},
                            {"nodes", Value(std::int64_t{ranks})},      {"cores_per_rank", Value(std::int64_t{1})},
                            {"data", Value(std::string("synthetic"))}};
    return run;
}

/// Medians over the steady iterations, by rank, ms.
std::vector<double> lateMs(const std::vector<std::vector<Record>>& spools)
{
    std::map<std::uint32_t, std::vector<stats::Moment>> iterations;
    for (const auto& spool : spools) {
        std::vector<ClockOffset> clocks;
        for (const Record& record : spool)
            if (const auto* clock = std::get_if<ClockOffset>(&record))
                clocks.push_back(*clock);
        CHECK(clocks.size() == 2); // before and after
        for (const Record& record : spool)
            if (const auto* sample = std::get_if<Sample>(&record); sample && sample->seq >= kWarmup)
                iterations[sample->seq].push_back(*stats::momentOf(stats::allReduceStartNs(*sample).value(), clocks));
    }
    std::vector<std::vector<double>> values(spools.size());
    for (const auto& [seq, moments] : iterations) {
        const auto late = stats::lateness(moments);
        for (std::size_t rank = 0; rank < late.size(); ++rank)
            values[rank].push_back(static_cast<double>(late[rank]) / 1e6);
    }
    std::vector<double> medians;
    std::ranges::transform(values, std::back_inserter(medians), stats::median);
    return medians;
}

std::int64_t firstStart(const std::vector<Record>& spool)
{
    for (const Record& record : spool)
        if (const auto* sample = std::get_if<Sample>(&record))
            return sample->startNs;
    return 0;
}

} // namespace

TEST_CASE("a late rank is found although the clocks of the nodes are minutes apart, by srun and by mpirun")
{
    const auto [cluster, worker] = clusterWithWorker(delay());
    if (worker.empty())
        return;
    for (const char* launcher : {"srun", "mpirun"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.place().worker = worker;
        site.connect();
        const auto plan = site.plan({lenet()}, kRanks, launcher);
        const auto reply = site.submit(plan);
        REQUIRE_MESSAGE(reply, (reply ? "" : reply.error().text()));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        CAPTURE(site.story(plan));
        REQUIRE(site.story(plan).ends_with("attempt_ended 0/1 done none\nrunner_ended done\n"));
        std::vector<std::vector<Record>> spools;
        for (int rank = 0; rank < kRanks; ++rank)
            spools.push_back(
                readSpool(layout::spoolFile(layout::attemptFolder(site.root(), plan.runs[0].id, 1), rank)));
        if (cluster->hasOwnClocks())
            CHECK(std::abs(firstStart(spools[kLateRank]) - firstStart(spools[0])) > kMinute);
        const auto late = lateMs(spools);
        REQUIRE(late.size() == kRanks);
        CAPTURE(late[0]);
        CAPTURE(late[1]);
        CAPTURE(late[kLateRank]);
        CHECK(late[kLateRank] > kDelayMs / 2); // the others may be late, too, where three ranks share two cores
        CHECK(late[kLateRank] < 4 * kDelayMs);
        CHECK(late[0] < late[kLateRank] / 2);
        CHECK(late[1] < late[kLateRank] / 2);
    }
}

TEST_CASE("gradients go over the network that is asked for, by srun with and without MPI and by mpirun")
{
    const auto [cluster, worker] = clusterWithWorker({});
    if (worker.empty())
        return;
    if (cluster->on("n1", {"cat", "/sys/class/net/eth1g/address"}).empty()) {
        MESSAGE("skipped: this cluster has no slow networks");
        return;
    }
    const auto sentBy = [&](const std::string& interface) {
        const auto text = cluster->on("n1", {"cat", "/sys/class/net/" + interface + "/statistics/tx_bytes"});
        return std::strtoull(text.c_str(), nullptr, 10);
    };
    for (const char* launcher : {"srun", "mpirun", "direct"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.place().worker = worker;
        site.connect();
        RunSpec run = lenet();
        run.settings["interface"] = std::string("eth1g");
        const auto plan = site.plan({run}, kRanks, launcher);
        const auto before = sentBy("eth1g"), others = sentBy("eth0") + sentBy("eth100m");
        REQUIRE(site.submit(plan));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        REQUIRE(site.story(plan).ends_with("attempt_ended 0/1 done none\nrunner_ended done\n"));
        constexpr unsigned long long gradients = kIterations * 62'006 * sizeof(float); // of LeNet
        CHECK(sentBy("eth1g") - before > gradients);
        CHECK(sentBy("eth0") + sentBy("eth100m") - others < gradients);
    }
}

TEST_CASE("a single rank trains on another host than the one that is dialled, by mpirun and by ssh alone")
{
    const auto [cluster, worker] = clusterWithWorker({});
    if (worker.empty())
        return;
    for (const char* launcher : {"mpirun", "direct"}) {
        CAPTURE(std::string(launcher));
        SlurmSite site(*cluster);
        site.place().worker = worker;
        site.place().scheduler.clear();
        site.connect();
        auto plan = site.plan({lenet(1)}, 1, launcher);
        plan.hosts = {"n2"};
        site.place().script.clear();
        REQUIRE(site.submit(plan));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kRunLimit));
        CHECK(site.story(plan).ends_with("attempt_ended 0/1 done none\nrunner_ended done\n"));
        CHECK(hostOf(site, plan.runs[0], 0) == "n2");
    }
}
