// SPDX-License-Identifier: MIT
// Samples that cover several iterations, or speak for several ranks, by numbers computed by hand.
#include "core/base/sequences.h"
#include "core/stats/phases.h"
#include "core/store/flagreasons.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"

#include <limits>

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::int64_t kMs = 1'000'000;

struct LinesFixture : StoreFixture
{
    store::Ingest ingest = must(store::Ingest::create(db));

    /// A run of seconds is short and, without telemetry, not observed: the flags beside those.
    std::vector<std::string> flags(int run) const
    {
        std::vector<std::string> flags = row(run).flags;
        std::erase_if(flags, [](const std::string& flag) { return flag == "short" || flag == "unobserved"; });
        return flags;
    }
    bool isIncomplete(int run) const { return contains(row(run).flags, "incomplete"); }
};

/// A sample of `iterations` until `seq`, so long and with 4 items of each; half of it forward, the rest not reported.
Sample interval(std::uint32_t seq, std::uint32_t iterations, std::int64_t startNs, std::int64_t lengthNs)
{
    Sample sample;
    sample.seq = seq;
    sample.iterations = iterations;
    sample.startNs = startNs;
    sample.items = 4 * iterations;
    sample.told = {Phase::forward};
    sample.phases[2] = lengthNs / 2;
    sample.phases[6] = lengthNs - lengthNs / 2;
    sample.loss = std::numeric_limits<float>::quiet_NaN();
    return sample;
}

/// Two ranks of 120 iterations, 50 a line and 20 in the last; a test of 1 s before that. The second rank is 10 %
/// slower.
struct RunOfLines : LinesFixture
{
    explicit RunOfLines(std::uint32_t ofRanks = 1, int spools = 2)
    {
        db.handle().exec("UPDATE runs SET iterations = 120");
        db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$.engine', 'mxnet')");
        for (int rank = 0; rank < spools; ++rank) {
            store::SpoolArrival arrival = samples(1, rank, 0, 0, 900);
            const std::int64_t ms = (10 + rank) * kMs;
            arrival.records = {interval(49, 50, kMs, 100 * ms), interval(99, 50, kMs + 100 * ms, 50 * ms),
                               interval(119, 20, kMs + 150 * ms + 1'000 * kMs, 20 * ms)};
            for (Record& record : arrival.records) {
                auto& sample = std::get<Sample>(record);
                sample.ofRanks = ofRanks;
                sample.items *= ofRanks;
            }
            arrival.records.emplace_back(End{3, 0, 0});
            must(ingest.drain({arrival}));
        }
        must(ingest.drain({change(1, 1, RunState::starting, kStart), change(1, 1, RunState::done, kStart + 9)}));
        must(store::refreshSummaries(db));
    }
    std::vector<store::RankSummary> ranks() const { return must(store::attempts(db, plan.runs[1].id)).at(0).ranks; }
};

} // namespace

TEST_CASE("lines of several iterations are summed up by what they cover, without one that begins within the warm-up")
{
    const RunOfLines run;
    const auto ranks = run.ranks();
    REQUIRE(ranks.size() == 2);
    const store::RankSummary& slow = ranks[1];
    CHECK(slow.iterations == 70);
    CHECK(slow.records == 2);
    CHECK(slow.isInParts());
    CHECK(slow.items == 280);
    CHECK(slow.lengthNs == 70 * 11 * kMs); // 50 and 20 of 11 ms: the test between them is no iteration's
    CHECK(slow.phaseSums[2] == 35 * 11 * kMs);
    CHECK(slow.told == PhaseSet{Phase::forward});
    CHECK(run.row(1).itemsPerSecond == doctest::Approx(560 / 0.77));
    CHECK(run.flags(1).empty()); // a loss that no line states is not a loss that is not a number
    const auto measured = must(store::measuredRuns(run.db, "first-light")).at(1);
    CHECK(stats::meanIteration({{slow.iterations, slow.phaseSums, 0, 0, 0, slow.told}}).phases[2] ==
          doctest::Approx(5.5));
    CHECK(measured.ranks.at(0).lengthNs == 700 * kMs);
    const auto points = must(store::series(run.db, run.plan.runs[1].id, 1));
    REQUIRE(points.size() == 3); // a rate for each line, at its middle
    CHECK(points[0].iteration == 24);
    CHECK(points[0].low == doctest::Approx(400 / 1.1));
    CHECK(points[1].iteration == 74);
    CHECK(points[1].median == doctest::Approx(400 / 0.55));
    CHECK(points[2].iteration == 109);
}

TEST_CASE("a number of all ranks counts once, whether one of them prints it or each")
{
    const RunOfLines each(2), one(2, 1);
    // Each line is of 8 items an iteration; the longest rank sets the time, which is the first one's where it is alone.
    CHECK(each.row(1).itemsPerSecond == doctest::Approx(560 / 0.77));
    CHECK(one.row(1).itemsPerSecond == doctest::Approx(560 / 0.70));
    CHECK(each.ranks().at(1).ofRanks == 2);
    CHECK(must(store::series(one.db, one.plan.runs[1].id, 1)).at(2).median == doctest::Approx(160 / 0.2));
    CHECK(must(store::series(each.db, each.plan.runs[1].id, 1)).at(2).median == doctest::Approx(160 / 0.22));
}

TEST_CASE("where one rank of two prints, and of itself alone, what both do is not known")
{
    const RunOfLines run(1, 1);
    CHECK(!run.row(1).itemsPerSecond);
    CHECK(run.isIncomplete(1));
    CHECK(run.ranks().at(0).items == 280);
}

TEST_CASE("lines that miss what fills none are complete; those that end long before the end are not")
{
    const auto isIncomplete = [](std::uint32_t last) {
        LinesFixture run;
        run.db.handle().exec("UPDATE runs SET iterations = 65");
        run.db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$.engine', 'pytorch')");
        store::SpoolArrival arrival = run.samples(0, 0, 0, 0, 900);
        for (std::uint32_t seq = 20; seq <= last; seq += 20)
            arrival.records.emplace_back(interval(seq, 20, seq * kMs, 20 * kMs));
        arrival.records.emplace_back(End{last / 20, 0, 0});
        must(run.ingest.drain(
            {arrival, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
        must(store::refreshSummaries(run.db));
        CHECK(must(store::lostSamples(run.db, run.plan.campaign)).empty()); // complete spools never had more
        for (const store::FlagReason& why : must(store::flagReasons(run.db, run.row(0).id, 1)))
            if (why.flag == "incomplete") // nothing is yet to arrive
                CHECK((why.code == store::flagcode::kEndedEarly && why.value == 41 && why.usual == 65));
        return run.isIncomplete(0);
    };
    CHECK_FALSE(isIncomplete(60));
    CHECK(isIncomplete(40));
}

TEST_CASE("where iterations are missing, those that are there count with their own time, of every engine")
{
    for (const char* engine : {"pytorch", "ringside"}) {
        LinesFixture run;
        run.db.handle().exec(
            fmt::format("UPDATE configurations SET settings = json_set(settings, '$.engine', '{}')", engine));
        store::SpoolArrival arrival = run.samples(0, 0, 0, 10, 900);
        arrival.records = {arrival.records[0], arrival.records[2], arrival.records[6], arrival.records[9]};
        must(run.ingest.drain(
            {arrival, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
        must(store::refreshSummaries(run.db));
        CHECK(must(store::attempts(run.db, run.plan.runs[0].id)).at(0).ranks.at(0).lengthNs == 30 * kMs);
        CHECK(run.row(0).itemsPerSecond == doctest::Approx(400));
    }
}

TEST_CASE("a run without the samples of one of its ranks has no throughput, which it has once they come")
{
    LinesFixture run;
    must(run.ingest.drain({run.samples(1, 0, 0, 10, 900), run.change(1, 1, RunState::starting, kStart),
                           run.change(1, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    CHECK_FALSE(run.row(1).itemsPerSecond);
    CHECK(run.isIncomplete(1));
    must(run.ingest.drain({run.samples(1, 1, 0, 10, 900)}));
    must(store::refreshSummaries(run.db));
    CHECK(run.row(1).itemsPerSecond == doctest::Approx(64 / 0.08));
}

TEST_CASE("samples that were lost make a run no slower: before, between and behind others, of one rank or of both")
{
    for (const std::vector<std::size_t>& lost : {std::vector<std::size_t>{2, 3}, {5, 6}, {9}})
        for (const int ranks : {1, 2}) {
            LinesFixture run;
            for (const int rank : {0, 1}) {
                store::SpoolArrival arrival = run.samples(1, rank, 0, 10, 900);
                const auto whole = arrival.records;
                arrival.records.clear();
                for (std::size_t seq = 0; seq < whole.size(); ++seq)
                    if (rank >= ranks || !contains(lost, seq))
                        arrival.records.push_back(whole[seq]);
                must(run.ingest.drain({arrival}));
            }
            must(run.ingest.drain(
                {run.change(1, 1, RunState::starting, kStart), run.change(1, 1, RunState::done, kStart + 9)}));
            must(store::refreshSummaries(run.db));
            CHECK(run.row(1).itemsPerSecond == doctest::Approx(8 / 0.01));
        }
}

TEST_CASE("readings between lines are of the run, too")
{
    RunOfLines run;
    store::SpoolArrival arrival = run.samples(1, 0, 0, 0, 901);
    for (int i = 0; i < 3; ++i) { // within the test that is between the last two lines
        Telemetry telemetry;
        telemetry.atNs = 1'600 * kMs + i * 400 * kMs;
        telemetry.foreignCpuShare = telemetry.foreignCoresShare = 0.5f;
        arrival.records.emplace_back(telemetry);
    }
    must(run.ingest.drain({arrival}));
    must(store::refreshSummaries(run.db));
    CHECK(run.flags(1) == std::vector<std::string>{"disturbed"});
}
