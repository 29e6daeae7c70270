// SPDX-License-Identifier: MIT
// The shared folder of a real cluster is full while ranks on its nodes write: they hold up to 64 MiB each, and what
// does not fit is counted.
#include "core/base/clock.h"
#include "tests/relay/democluster.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kJobLimit{240'000};

/// A cluster with a disk that can be full; nullptr, with the reason printed, where there is none.
DemoCluster* clusterWithDisk()
{
    DemoCluster* cluster = DemoCluster::get();
    if (cluster && cluster->hasDisk())
        return cluster;
    if (cluster)
        MESSAGE("skipped: this cluster has no disk of its own to fill (up.sh --disk)");
    return nullptr;
}

struct Arrived
{
    std::size_t samples = 0;
    std::optional<End> end;
};

/// Returns the records of a rank that arrived at the app.
Arrived arrivedOf(const Site& site, const RunSpec& run, int rank)
{
    Arrived arrived;
    SpoolReader reader;
    const fs::path spool = layout::spoolFile(layout::attemptFolder("", run.id, 1), rank);
    const auto bytes = site.files().find(spool.string());
    REQUIRE(bytes != site.files().end());
    REQUIRE(reader.feed(bytes->second, [&](const Record& record) {
        arrived.samples += std::holds_alternative<Sample>(record) ? 1 : 0;
        if (const auto* end = std::get_if<End>(&record))
            arrived.end = *end;
    }));
    return arrived;
}

/// Returns whether the ranks of these nodes hold that much and wait: they have come to their end and cannot write it.
bool holdAndWait(const DemoCluster& cluster, int nodes, long kib)
{
    for (int node = 1; node <= nodes; ++node) {
        const std::string host = fmt::format("n{}", node);
        const std::string found = cluster.on(host, {"ps", "-u", "ringside-demo", "-o", "comm=,state=,rss="});
        const auto at = found.find("testworker");
        long rss = 0;
        char state = ' ';
        if (at == std::string::npos || std::sscanf(found.c_str() + at, "testworker %c %ld", &state, &rss) != 2 ||
            state != 'S' || rss < kib)
            return false;
    }
    return true;
}

} // namespace

TEST_CASE("while the shared folder is full no rank is lost; what was held is written, and comes home")
{
    DemoCluster* cluster = clusterWithDisk();
    if (!cluster)
        return;
    for (const char* launcher : {"srun", "mpirun"}) {
        CAPTURE(std::string(launcher));
        constexpr int kIterations = 3'500; // 35 s: the last ones come when there is room again
        SlurmSite site(*cluster);
        site.connect();
        const auto plan = site.plan({onNodes(3, kIterations)}, 3, launcher);
        REQUIRE(site.submit(plan));
        site.follow(plan);
        REQUIRE(site.trains(plan.runs[0]));
        REQUIRE(cluster->control({"fill"}));
        std::this_thread::sleep_for(milliseconds(26'000)); // 20 s of silence are a lost rank where there is room
        REQUIRE(cluster->control({"free"}));
        REQUIRE(site.pumpToEnd(kJobLimit));
        CHECK(site.story(plan) ==
              "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
        for (int rank = 0; rank < 3; ++rank) {
            const Arrived arrived = arrivedOf(site, plan.runs[0], rank);
            CHECK(arrived.samples == kIterations);
            REQUIRE(arrived.end);
            CHECK(arrived.end->droppedSamples == 0);
        }
    }
}

TEST_CASE("on a full shared folder a rank holds 64 MiB; what does not fit is counted, and all else comes home")
{
    DemoCluster* cluster = clusterWithDisk();
    if (!cluster)
        return;
    constexpr int kIterations = 500'000, kBegin = 500; // of some 200 bytes, as quick as they come after 5 s
    SlurmSite site(*cluster);
    site.connect();
    const auto plan =
        site.plan({onNodes(2, kIterations, {{"behaviour", std::string("burst")}, {"at", std::int64_t{kBegin}}})}, 2);
    REQUIRE(site.submit(plan));
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    REQUIRE(cluster->control({"fill"}));
    const bool held = eventually(milliseconds(50'000), [&] { return holdAndWait(*cluster, 2, 64 << 10); });
    REQUIRE(cluster->control({"free"}));
    CHECK(held);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.events().back().state == RunState::done);
    for (int rank = 0; rank < 2; ++rank) {
        const Arrived arrived = arrivedOf(site, plan.runs[0], rank);
        REQUIRE(arrived.end);
        CHECK(arrived.end->droppedSamples > 0);
        CHECK(arrived.samples + arrived.end->droppedSamples == kIterations);
        MESSAGE("rank " << rank << ": " << arrived.samples << " samples, " << arrived.end->droppedSamples
                        << " dropped");
    }
}

TEST_CASE("a job that is submitted and begins on a full shared folder waits for room, and is not said to have failed")
{
    DemoCluster* cluster = clusterWithDisk();
    if (!cluster)
        return;
    SlurmSite site(*cluster);
    site.connect();
    const auto plan = site.plan({onNodes(3, 300)}, 3);
    const auto first = site.submit(plan);
    REQUIRE(first);
    site.follow(plan);
    REQUIRE(site.trains(plan.runs[0]));
    cluster->on("n1", {"pkill", "-KILL", "-u", "ringside-demo", "-f", "ringside-agent run"});
    REQUIRE(eventually(milliseconds(60'000), [&] { return site.status(plan).state == wire::CampaignState::lost; }));
    REQUIRE(cluster->control({"fill"}));
    const auto second = site.submit(plan);
    CHECK(site.status(plan).state != wire::CampaignState::lost); // what the queue said a moment ago is no longer true
    const bool begins = eventually(milliseconds(60'000), [&] {
        return !cluster->on("n1", {"pgrep", "-u", "ringside-demo", "-f", "ringside-agent run"}).empty();
    });
    std::this_thread::sleep_for(milliseconds(5'000));
    REQUIRE(cluster->control({"free"}));
    REQUIRE_MESSAGE(second, (second ? "" : second.error().text()));
    CHECK(second->job != first->job);
    CHECK(begins);
    REQUIRE(site.pumpToEnd(kJobLimit));
    CHECK(site.story(plan) == "runner_started\nattempt_started 0/1\n"
                              "runner_started\nattempt_ended 0/1 requeued runner_lost\n"
                              "attempt_started 0/2\nattempt_ended 0/2 done none\nrunner_ended done\n");
    CHECK(site.jobOf(plan).id == second->job);
}
