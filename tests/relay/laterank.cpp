// SPDX-License-Identifier: MIT
// The real worker on three nodes whose clocks are minutes apart, one rank of which is late.
#include "core/stats/lateness.h"
#include "core/stats/quantile.h"
#include "tests/relay/democluster.h"

#include <fstream>
#include <map>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::milliseconds kRunLimit{180'000};
constexpr int kRanks = 3, kLateRank = 2, kIterations = 60, kWarmup = 10;
constexpr double kDelayMs = 40;
constexpr std::int64_t kMinute = 60'000'000'000;

/// As a user might start it in a wrapper of his own; the late rank copies its batches slowly.
std::string wrapper(const std::string& worker)
{
    return "#!/bin/sh\n"
           "export LD_LIBRARY_PATH=$(echo /srv/torch/*/lib)\n"
           "[ \"${OMPI_COMM_WORLD_RANK:-$SLURM_PROCID}\" != " +
           std::to_string(kLateRank) + " ] || set -- \"$@\" --delay copy=" + std::to_string(int(kDelayMs)) + "\nexec " +
           worker + " \"$@\"\n";
}

/// The path of the worker, as the cluster names it; empty if this build has none.
std::string installWorker(DemoCluster& cluster)
{
    const fs::path built = fs::path(RINGSIDE_BIN) / "ringside-worker";
    if (!fs::exists(built))
        return {};
    const fs::path bin = cluster.home() / "bin";
    fs::copy_file(built, bin / "ringside-worker", fs::copy_options::overwrite_existing);
    std::ofstream(bin / "late-worker") << wrapper(std::string(DemoCluster::kHome) + "/bin/ringside-worker");
    fs::permissions(bin / "late-worker", fs::perms(0755));
    return std::string(DemoCluster::kHome) + "/bin/late-worker";
}

RunSpec lenet()
{
    RunSpec run = onNodes(kRanks, kIterations);
    run.warmup = kWarmup;
    run.plan.name = "buckets";
    run.plan.collective = Collective::allreduce;
    run.plan.grouping = Grouping::buckets;
    run.plan.schedule = Schedule::overlapped;
    run.settings = {{"model", Value(std::string("lenet"))},     {"image_size", Value(std::int64_t{32})},
                    {"batch_per_rank", Value(std::int64_t{4})}, {"ranks", Value(std::int64_t{kRanks})},
                    {"nodes", Value(std::int64_t{kRanks})},     {"cores_per_rank", Value(std::int64_t{1})},
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
                iterations[sample->seq].push_back(*stats::momentOf(stats::allReduceStartNs(*sample), clocks));
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
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    const std::string worker = installWorker(*cluster);
    if (worker.empty()) {
        MESSAGE("skipped: this build has no worker");
        return;
    }
    for (const auto launcher : {Launcher::srun, Launcher::mpirun}) {
        CAPTURE(nameOf(launcher));
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
