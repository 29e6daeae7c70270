// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/store/disturbances.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct EndedRun : StoreFixture
{
    store::Ingest ingest = must(store::Ingest::create(db));

    /// Both ranks of run 1 with all of its ten iterations; the second rank is 1 ms slower in each.
    void fill(std::uint32_t iterations = 10)
    {
        for (int rank : {0, 1}) {
            store::SpoolArrival arrival = samples(1, rank, 0, iterations, 900);
            for (Record& record : arrival.records)
                std::get<Sample>(record).phases[2] += rank * 1'000'000;
            arrival.records.emplace_back(End{iterations, 0, 0});
            must(ingest.drain({arrival}));
        }
        must(ingest.drain(
            {change(1, 1, RunState::starting, kStart), change(1, 1, RunState::done, kStart + 1'000'000'000)}));
        REQUIRE(must(store::refreshSummaries(db)).size() == 1);
    }
};

} // namespace

TEST_CASE("throughput is the items of all ranks over the longest rank's time after its warm-up")
{
    EndedRun run;
    run.fill();
    const auto measured = must(store::measuredRuns(run.db, "first-light"));
    REQUIRE(measured.size() == 2);
    CHECK(measured[0].ranks.empty());
    REQUIRE(measured[1].ranks.size() == 2);
    const auto& slow = measured[1].ranks[1];
    CHECK(slow.iterations == 8);
    CHECK(slow.items == 32);
    // From the end of iteration 1 (start 10 ms + 11 ms) to the end of iteration 9 (start 90 ms + 11 ms).
    CHECK(slow.lengthNs == 80'000'000);
    CHECK(slow.phaseSums[2] == 8 * 5'000'000);
    CHECK(measured[1].row.itemsPerSecond == doctest::Approx(64 / 0.08));
    CHECK(measured[1].row.flags.empty());
    CHECK(must(store::refreshSummaries(run.db)).empty());
    CHECK(must(store::attempts(run.db, run.plan.runs[1].id)).front().ranks.size() == 2);
}

TEST_CASE("summaries can be made anew from the samples alone")
{
    EndedRun run;
    run.fill();
    const auto before = run.row(1).itemsPerSecond;
    const auto series = must(store::series(run.db, run.plan.runs[1].id, 1));
    run.db.handle().exec("DELETE FROM summary; DELETE FROM series; UPDATE attempts SET items_per_second = NULL");
    must(store::rebuildSummaries(run.db));
    CHECK(run.row(1).itemsPerSecond == before);
    CHECK(must(store::series(run.db, run.plan.runs[1].id, 1)).size() == series.size());
}

TEST_CASE("what comes after the end of an attempt is taken into account")
{
    EndedRun run;
    run.fill(9);
    CHECK(run.row(1).flags == std::vector<std::string>{"incomplete"});
    for (int rank : {0, 1})
        must(run.ingest.drain({run.samples(1, rank, 9, 10, 990)}));
    REQUIRE(must(store::refreshSummaries(run.db)).size() == 1);
    CHECK(run.row(1).flags.empty());
    CHECK(run.row(1).samples == 20);
}

TEST_CASE("a server rank has a spool and no samples, and its world counts the servers")
{
    EndedRun run;
    store::SpoolArrival server = run.samples(1, 2, 0, 0, 900);
    server.header->worldSize = 3;
    server.records.emplace_back(End{0, 0, 0});
    must(run.ingest.drain({server}));
    run.fill();
    CHECK(run.row(1).flags.empty());
    CHECK(must(store::series(run.db, run.plan.runs[1].id, 1)).size() == 10);
    CHECK(must(store::measuredRuns(run.db, "first-light"))[1].ranks.size() == 2);
}

TEST_CASE("a server whose spool has no end leaves the attempt incomplete")
{
    EndedRun run;
    store::SpoolArrival server = run.samples(1, 2, 0, 0, 900);
    server.header->worldSize = 3;
    must(run.ingest.drain({server}));
    run.fill();
    CHECK(run.row(1).flags == std::vector<std::string>{"incomplete"});
}

TEST_CASE("other load, a missing end and a lost loss are flagged")
{
    EndedRun run;
    store::SpoolArrival arrival = run.samples(0, 0, 0, 10, 900);
    arrival.header->host = "n7";
    std::get<Sample>(arrival.records[9]).loss = std::numeric_limits<float>::infinity();
    for (int second = 0; second < 6; ++second) {
        Telemetry telemetry;
        telemetry.atNs = second * 1'000'000'000ll;
        telemetry.foreignCpuShare = 0.4f;
        arrival.records.emplace_back(telemetry);
    }
    must(run.ingest.drain(
        {arrival, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    CHECK(run.row(0).flags == std::vector<std::string>{"disturbed", "incomplete", "nan"});
    CHECK(must(store::disturbances(run.db, run.row(0).id, 1)) ==
          std::vector<std::string>{"Other programs took 40 % of the cores of n7 for a while."});
}

TEST_CASE("a GPU that others use or that is too hot is flagged")
{
    EndedRun run;
    for (const int rank : {0, 1}) {
        store::SpoolArrival arrival = run.samples(0, rank, 0, 10, 900);
        for (int second = 0; second < 6; ++second) {
            GpuTelemetry gpu;
            gpu.atNs = second * 1'000'000'000ll;
            gpu.clockReasons = rank == 1 ? 0x40 : 0;
            gpu.foreignProcesses = rank == 0;
            arrival.records.emplace_back(gpu);
        }
        arrival.records.emplace_back(End{10, 0, 0});
        must(run.ingest.drain({arrival}));
    }
    must(
        run.ingest.drain({run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    CHECK(run.row(0).flags == std::vector<std::string>{"disturbed", "throttled"});
    CHECK(must(store::disturbances(run.db, run.row(0).id, 1)) ==
          std::vector<std::string>{"Rank 0: other programs computed on its GPU."});
}

TEST_CASE("what was paced is flagged as emulated")
{
    EndedRun run;
    run.db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$.compute', 'paced')");
    must(run.ingest.drain({run.samples(0, 0, 0, 10, 900), run.change(0, 1, RunState::starting, kStart),
                           run.change(0, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    REQUIRE_FALSE(run.row(0).flags.empty());
    CHECK(run.row(0).flags.back() == "emulated");
}

TEST_CASE("a series has at most 500 points, with the middle of each span")
{
    std::vector<store::RankSample> samples;
    for (std::uint32_t seq = 0; seq < 1200; ++seq)
        for (int rank : {0, 1}) {
            Sample sample;
            sample.seq = seq;
            sample.items = 5;
            sample.phases[0] = rank == 0 ? 10'000'000 : 20'000'000 + (seq % 3) * 1'000'000;
            samples.push_back({rank, sample});
        }
    const auto points = store::makeSeries(samples, 2);
    CHECK(points.size() == 400);
    CHECK(points[0].iteration == 1);
    CHECK(points[0].high == doctest::Approx(10 / 0.020));
    CHECK(points[0].median == doctest::Approx(10 / 0.021));
    CHECK(points[0].low == doctest::Approx(10 / 0.022));
    CHECK(store::makeSeries(samples, 3).empty()); // a rank is missing everywhere
    CHECK(store::makeSeries({}, 1).empty());
}
