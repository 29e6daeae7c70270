// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/base/text.h"
#include "core/protocol/facts.h"
#include "core/store/flagreasons.h"
#include "tests/store/storefixture.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct EndedRun : StoreFixture
{
    store::Ingest ingest = must(store::Ingest::create(db));

    /// A run of 80 ms is short and, without telemetry, not observed: the flags beside those.
    std::vector<std::string> flags(int run) const
    {
        std::vector<std::string> flags = row(run).flags;
        std::erase_if(flags, [](const std::string& flag) { return flag == "short" || flag == "unobserved"; });
        return flags;
    }

    /// "code rank value" of each reason of such a flag.
    std::vector<std::string> reasons(int run, std::string_view flag) const
    {
        std::vector<std::string> texts;
        for (const auto& reason : must(store::flagReasons(db, row(run).id, 1)))
            if (reason.flag == flag)
                texts.push_back(
                    fmt::format("{} {} {:.2f}", reason.code, reason.rank.value_or(-1), reason.value.value_or(-1)));
        return texts;
    }

    bool isIncomplete(int number) const { return std::ranges::count(row(number).flags, "incomplete") > 0; }

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
    CHECK(run.flags(1).empty());
    CHECK(must(store::refreshSummaries(run.db)).empty());
    CHECK(must(store::attempts(run.db, run.plan.runs[1].id)).front().ranks.size() == 2);
}

TEST_CASE("of a rank is told what each of its steady iterations tells")
{
    EndedRun run;
    for (int rank : {0, 1, 2}) {
        store::SpoolArrival arrival = run.samples(1, rank, 0, 10, 900);
        const auto tell = [&](std::size_t seq, PhaseSet told) { std::get<Sample>(arrival.records[seq]).told = told; };
        tell(1, {}); // of the warm-up
        for (std::size_t seq = 2; rank == 1 && seq < 10; ++seq)
            tell(seq, seq == 5 ? PhaseSet{Phase::forward, Phase::backward} : PhaseSet{Phase::forward, Phase::update});
        if (rank == 2)
            tell(7, {Phase::inputWait}); // the others tell all
        must(run.ingest.drain({arrival}));
    }
    must(run.ingest.drain(
        {run.change(1, 1, RunState::starting, kStart), run.change(1, 1, RunState::done, kStart + 1'000'000'000)}));
    must(store::refreshSummaries(run.db));
    const auto ranks = must(store::measuredRuns(run.db, "first-light")).at(1).ranks;
    REQUIRE(ranks.size() == 3);
    CHECK(ranks[0].told.hasAll());
    CHECK(ranks[1].told == PhaseSet{Phase::forward});
    CHECK(ranks[2].told == PhaseSet{Phase::inputWait});
    CHECK(ranks[1].phaseSums[3] == 8 * 5'000'000); // as it stands in the samples
    CHECK(run.db.handle().execAndGet("SELECT told IS NULL FROM summary WHERE rank = 0").getInt() == 1);
}

TEST_CASE("a measured run says what it was measured on")
{
    EndedRun run;
    run.fill();
    CHECK(must(store::measuredRuns(run.db, "first-light"))[1].facts == store::RunFacts{});
    Facts facts;
    facts.versions["torch"] = "2.11.0";
    facts.machine["cpu"] = "EPYC\n7763";
    facts.transport = "mpi: vader";
    facts.ranks = {{0, "alder", "cpu", "0-3", 4}};
    must(run.ingest.drain({store::FactsArrival{run.plan.runs[1].id, 1, factsToJson(facts)}}));
    const store::RunFacts known = must(store::measuredRuns(run.db, "first-light"))[1].facts;
    CHECK(known.processor == plainText("EPYC\n7763"));
    CHECK(known.torch == "2.11.0");
    CHECK(known.network == "mpi: vader"); // one node: its links are not used
}

TEST_CASE("summaries can be made anew from the samples alone")
{
    EndedRun run;
    run.fill();
    const auto before = run.row(1).itemsPerSecond;
    const auto series = must(store::series(run.db, run.plan.runs[1].id, 1));
    run.db.handle().exec("DELETE FROM summary; DELETE FROM series; UPDATE attempts SET items_per_second = NULL, "
                         "summarised = -1");
    must(store::refreshSummaries(run.db));
    CHECK(run.row(1).itemsPerSecond == before);
    CHECK(must(store::series(run.db, run.plan.runs[1].id, 1)).size() == series.size());
}

TEST_CASE("samples that a site has no longer are told apart from refused ones, and from refused records of others")
{
    EndedRun run;
    for (const int rank : {0, 1}) {
        store::SpoolArrival arrival = run.samples(1, rank, 0, rank == 0 ? 10 : 6, 900);
        if (rank == 1)
            arrival.refused = {{2, "negative_time"}, {3, "negative_time"}, {7, "negative_time"}, {4'000, "iteration"}};
        must(run.ingest.drain({arrival}));
    }
    must(
        run.ingest.drain({run.change(1, 1, RunState::starting, kStart), run.change(1, 1, RunState::done, kStart + 1)}));
    must(store::refreshSummaries(run.db));
    CHECK(must(store::lostSamples(run.db, run.plan.campaign)) == std::vector<store::LostSamples>{{2, 3}}); // 6, 8 and 9
}

TEST_CASE("what comes after the end of an attempt is taken into account")
{
    EndedRun run;
    run.fill(9);
    CHECK(run.flags(1) == std::vector<std::string>{"incomplete"});
    for (int rank : {0, 1})
        must(run.ingest.drain({run.samples(1, rank, 9, 10, 990)}));
    REQUIRE(must(store::refreshSummaries(run.db)).size() == 1);
    CHECK(run.flags(1).empty());
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
    CHECK(run.flags(1).empty());
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
    CHECK(run.flags(1) == std::vector<std::string>{"incomplete"});
}

TEST_CASE("a missing end and a lost loss are flagged, with why")
{
    EndedRun run;
    store::SpoolArrival arrival = run.samples(0, 0, 0, 10, 900);
    std::get<Sample>(arrival.records[9]).loss = std::numeric_limits<float>::infinity();
    must(run.ingest.drain(
        {arrival, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    CHECK(run.row(0).flags == std::vector<std::string>{"incomplete", "unobserved", "nan", "short"});
    CHECK(run.reasons(0, "incomplete") == std::vector<std::string>{"open_spools -1 1.00"});
    CHECK(run.reasons(0, "nan") == std::vector<std::string>{"loss_not_a_number -1 1.00"});
    CHECK(run.reasons(0, "unobserved") == std::vector<std::string>{"no_reading 0 -1.00"});
    CHECK(run.reasons(0, "short") == std::vector<std::string>{"few_iterations -1 8.00", "little_time -1 0.08"});
}

namespace {

/// Run 0 with one rank and 40 iterations of a second each: warm-up of 2 s, measured from 3 s to 41 s on its clock.
struct LongRun : EndedRun
{
    store::SpoolArrival arrival = samples(0, 0, 0, 0, 900);

    LongRun()
    {
        arrival.header->host = "n7";
        db.handle().exec("UPDATE runs SET iterations = 40");
        for (std::uint32_t seq = 0; seq < 40; ++seq) {
            Sample sample;
            sample.seq = seq;
            sample.startNs = (1 + std::int64_t{seq}) * kSecond;
            sample.phases[2] = kSecond;
            sample.items = 4;
            arrival.records.emplace_back(sample);
        }
    }

    static constexpr std::int64_t kSecond = 1'000'000'000;

    /// A reading of the second that ends at `second`.
    void read(int second, float host, float cores = Telemetry::kNotTold)
    {
        Telemetry telemetry;
        telemetry.atNs = second * kSecond;
        telemetry.foreignCpuShare = host;
        telemetry.foreignCoresShare = cores;
        arrival.records.emplace_back(telemetry);
    }
    void readGpu(int second, std::uint32_t others, std::uint64_t clockReasons = 0)
    {
        GpuTelemetry gpu;
        gpu.atNs = second * kSecond;
        gpu.foreignProcesses = others;
        gpu.clockReasons = clockReasons;
        arrival.records.emplace_back(gpu);
    }
    /// A reading of what the rank used of its cores, in the second that ends at `second`.
    void readOwn(int second, float cores)
    {
        Telemetry telemetry;
        telemetry.atNs = second * kSecond;
        telemetry.ownCoresShare = cores;
        arrival.records.emplace_back(telemetry);
    }
    store::RankSummary summary() const { return must(store::measuredRuns(db, "first-light")).at(0).ranks.at(0); }
    std::vector<std::string> end()
    {
        arrival.records.emplace_back(End{40, 0, 0});
        must(ingest.drain(
            {arrival, change(0, 1, RunState::starting, kStart), change(0, 1, RunState::done, kStart + 50 * kSecond)}));
        must(store::refreshSummaries(db));
        return row(0).flags;
    }
};

} // namespace

TEST_CASE("only load inside the measured window disturbs a run")
{
    LongRun run;
    SUBCASE("before and after it, and in the reading that began before it, it does not")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, second <= 3 || second > 41 ? 0.9f : 0.05f, second <= 3 || second > 41 ? 0.9f : 0.0f);
        CHECK(run.end().empty());
    }
    SUBCASE("inside it does, on the rank's cores and on the host apart")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, second > 10 && second <= 20 ? 0.4f : 0, second > 30 && second <= 36 ? 0.2f : 0);
        CHECK(run.end() == std::vector<std::string>{"disturbed"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"foreign_cores 0 0.20", "foreign_host -1 0.40"});
        const auto reasons = must(store::flagReasons(run.db, run.row(0).id, 1));
        CHECK(reasons[1].host == "n7");
        CHECK(reasons[1].limit == 0.1);
    }
    SUBCASE("twelve busy cores of 128 are not the host's tenth, but all of a rank's")
    {
        for (int second = 0; second <= 50; ++second)
            run.read(second, 12 / 128.0f, 0.97f);
        CHECK(run.end() == std::vector<std::string>{"disturbed"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"foreign_cores 0 0.97"});
    }
}

TEST_CASE("a window without a reading is unobserved, never undisturbed")
{
    LongRun run;
    SUBCASE("none at all") {}
    SUBCASE("none inside")
    {
        for (const int second : {0, 1, 2, 3, 43, 50})
            run.read(second, 0.9f);
    }
    CHECK(run.end() == std::vector<std::string>{"unobserved"});
    CHECK(run.reasons(0, "unobserved") == std::vector<std::string>{"no_reading 0 -1.00"});
}

TEST_CASE("a summary says how busy a rank kept its cores and its GPU while it was measured")
{
    LongRun run;
    SUBCASE("by readings inside the window")
    {
        for (int second = 0; second <= 50; ++second) {
            run.readOwn(second, second <= 3 || second > 41 ? 0.1f : second <= 22 ? 0.75f : 0.25f); // 19 seconds each
            GpuTelemetry gpu;
            gpu.atNs = second * LongRun::kSecond;
            gpu.busyShare = second < 3 || second > 41 ? 0.0f : 0.5f;
            run.arrival.records.emplace_back(gpu);
        }
        run.end();
        CHECK(run.summary().ownCoresShare == doctest::Approx(0.5));
        CHECK(run.summary().gpuBusyShare == doctest::Approx(0.5));
    }
    SUBCASE("not where no reading inside says it, or a driver only zeros")
    {
        for (int second = 0; second <= 50; ++second) {
            run.readOwn(second, second <= 3 ? 0.5f : Telemetry::kNotTold);
            run.readGpu(second, 0);
        }
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
        CHECK_FALSE(run.summary().gpuBusyShare);
    }
    SUBCASE("and of a role that reports in the place of ranks")
    {
        run.arrival.rank = 1; // the run has one rank
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, 0.5f);
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
    }
    SUBCASE("where one reports for others, whose load its own does not show")
    {
        run.db.handle().exec("UPDATE runs SET rank_processes = 2");
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, 0.5f);
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
    }
    SUBCASE("a share that is none is never stored as one")
    {
        for (int second = 0; second <= 50; ++second)
            run.readOwn(second, second % 2 == 0 ? std::numeric_limits<float>::infinity() : 7.0f);
        run.end();
        CHECK(run.summary().ownCoresShare == 1.0);
    }
    SUBCASE("where none was made")
    {
        run.end();
        CHECK_FALSE(run.summary().ownCoresShare);
        CHECK_FALSE(run.summary().gpuBusyShare);
    }
}

TEST_CASE("a GPU that others use or that is too hot is flagged, within the window")
{
    LongRun run;
    for (int second = 0; second <= 50; ++second)
        run.read(second, 0);
    SUBCASE("before it, it is not")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, second < 3, second < 3 ? 0x40 : 0);
        CHECK(run.end().empty());
    }
    SUBCASE("inside it is")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, 2, second == 20 ? 0x120 : 0x40); // by two reasons, and at a clock for displays
        CHECK(run.end() == std::vector<std::string>{"disturbed", "throttled"});
        CHECK(run.reasons(0, "disturbed") == std::vector<std::string>{"shared_gpu 0 2.00"});
        CHECK(run.reasons(0, "throttled") == std::vector<std::string>{"slowed_gpu 0 96.00"});
    }
    SUBCASE("whose the processes are cannot be told")
    {
        for (int second = 0; second <= 50; ++second)
            run.readGpu(second, GpuTelemetry::kUnknown);
        CHECK(run.end() == std::vector<std::string>{"unobserved"});
        CHECK(run.reasons(0, "unobserved") == std::vector<std::string>{"unknown_gpu_processes 0 -1.00"});
        CHECK(must(store::gpuTelemetry(run.db, run.row(0).id, 1))[0].telemetry.foreignProcesses ==
              GpuTelemetry::kUnknown);
    }
}

TEST_CASE("flags and what was measured are columns of v_runs")
{
    LongRun run;
    run.end();
    SQLite::Statement query(run.db.handle(), "SELECT disturbed, throttled, incomplete, unobserved, nan, short, "
                                             "measured_iterations, measured_ns FROM v_runs WHERE number = 1");
    REQUIRE(query.executeStep());
    std::vector<std::int64_t> values;
    for (int column = 0; column < 8; ++column)
        values.push_back(query.getColumn(column));
    CHECK(values == std::vector<std::int64_t>{0, 0, 0, 1, 0, 0, 38, 38'000'000'000});
}

TEST_CASE("sums that no integer holds are cut, and keep no other attempt from its summary")
{
    EndedRun run;
    store::SpoolArrival huge = run.samples(0, 0, 0, 10, 900);
    for (Record& record : huge.records) {
        std::get<Sample>(record).bytesSent = std::numeric_limits<std::uint64_t>::max();
        std::get<Sample>(record).readNs = (std::int64_t{1} << 59) - 1;
    }
    huge.records.emplace_back(End{10, 0, std::numeric_limits<std::uint64_t>::max()});
    must(run.ingest.drain(
        {huge, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
    REQUIRE(must(store::refreshSummaries(run.db)).size() == 1);
    const auto measured = must(store::measuredRuns(run.db, "first-light"));
    REQUIRE(measured[0].ranks.size() == 1);
    CHECK(measured[0].ranks[0].bytesSent == std::numeric_limits<std::int64_t>::max());
    CHECK(measured[0].ranks[0].phaseSums[3] == 8 * 5'000'000);
    CHECK(run.isIncomplete(0));
    run.fill();
    CHECK(!run.isIncomplete(1));
}

TEST_CASE("an attempt of which no summary can be made is flagged and told once, and the others have theirs")
{
    EndedRun run;
    run.db.handle().exec("CREATE TRIGGER refusing BEFORE INSERT ON summary WHEN new.rank = 5 "
                         "BEGIN SELECT raise(ABORT, 'no'); END");
    must(run.ingest.drain({run.samples(0, 5, 0, 10, 900), run.change(0, 1, RunState::starting, kStart),
                           run.change(0, 1, RunState::done, kStart + 9)}));
    std::vector<Error> told;
    const auto tell = [&](const Error& error) { told.push_back(error); };
    REQUIRE(must(store::refreshSummaries(run.db, tell)).size() == 1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].code == ErrorCode::damaged);
    CHECK_MESSAGE(told[0].message.starts_with("Run 1 "), told[0].message);
    CHECK(run.isIncomplete(0));
    CHECK(must(store::refreshSummaries(run.db, tell)).empty());
    CHECK(told.size() == 1);
    run.fill();
    CHECK(run.row(1).itemsPerSecond);
}

TEST_CASE("records that were refused leave the attempt incomplete, and their reason stays")
{
    EndedRun run;
    store::SpoolArrival more = run.samples(1, 0, 10, 10, 950);
    more.refused = {{~0u, "iteration"}, {3, "negative_time"}};
    run.fill();
    CHECK(!run.isIncomplete(1));
    for (int replay = 0; replay < 2; ++replay)
        CHECK(must(run.ingest.drain({more})) == 0);
    must(store::refreshSummaries(run.db));
    CHECK(run.isIncomplete(1));
    CHECK(run.count("refused") == 2);
    CHECK(run.db.handle().execAndGet("SELECT why FROM refused WHERE seq = 3").getString() == "negative_time");
}

TEST_CASE("iterations beyond the run's stand for none that is missing")
{
    EndedRun run;
    store::SpoolArrival odd = run.samples(0, 0, 0, 9, 900);
    odd.records.push_back(run.samples(0, 0, 500, 501, 901).records.front());
    odd.records.emplace_back(End{10, 0, 0});
    must(run.ingest.drain(
        {odd, run.change(0, 1, RunState::starting, kStart), run.change(0, 1, RunState::done, kStart + 9)}));
    must(store::refreshSummaries(run.db));
    CHECK(run.isIncomplete(0));
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
