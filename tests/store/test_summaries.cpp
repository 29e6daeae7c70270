// SPDX-License-Identifier: MIT
#include "core/store/summaries.h"

#include "core/protocol/facts.h"
#include "tests/store/endedrun.h"

using namespace ringside;
using namespace ringside::test;

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

TEST_CASE("a summary of a rank has what each of its steady iterations reports")
{
    EndedRun run;
    for (int rank : {0, 1, 2}) {
        store::SpoolArrival arrival = run.samples(1, rank, 0, 10, 900);
        const auto tell = [&](std::size_t seq, PhaseSet told) { std::get<Sample>(arrival.records[seq]).told = told; };
        tell(1, {}); // of the warm-up
        for (std::size_t seq = 2; rank == 1 && seq < 10; ++seq)
            tell(seq, seq == 5 ? PhaseSet{Phase::forward, Phase::backward} : PhaseSet{Phase::forward, Phase::update});
        if (rank == 2)
            tell(7, {Phase::inputWait}); // the others report all
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
    run.db.handle().exec("UPDATE configurations SET settings = json_set(settings, '$.nodes', 2)");
    const auto networkBy = [&](const std::string& transport) {
        facts.transport = transport;
        facts.ranks.front().links = "eth0 10000 Mbit/s";
        must(run.ingest.drain({store::FactsArrival{run.plan.runs[1].id, 1, factsToJson(facts)}}));
        return must(store::measuredRuns(run.db, "first-light"))[1].facts.network;
    };
    CHECK(networkBy("mpi: ob1") == "mpi: ob1; eth0 10000 Mbit/s");
    CHECK(networkBy("") == "eth0 10000 Mbit/s"); // systems do not report how they communicate
}

TEST_CASE("a framework that is named without its version has the one among the versions")
{
    EndedRun run;
    run.fill();
    Facts facts;
    facts.versions["torch"] = "2.11.0";
    facts.model["framework"] = "torch";
    must(run.ingest.drain({store::FactsArrival{run.plan.runs[1].id, 1, factsToJson(facts)}}));
    CHECK(must(store::measuredRuns(run.db, "first-light"))[1].facts.torch == "2.11.0");
}

TEST_CASE("a measured run says which framework its system computes with, or is")
{
    EndedRun run;
    run.fill();
    const auto factsWith = [&](const std::string& system, std::map<std::string, std::string> told) {
        Facts facts;
        facts.system = system;
        facts.model = std::move(told);
        must(run.ingest.drain({store::FactsArrival{run.plan.runs[1].id, 1, factsToJson(facts)}}));
        return must(store::measuredRuns(run.db, "first-light"))[1].facts;
    };
    const store::RunFacts horovod =
        factsWith("Horovod 0.28.1", {{"framework", "horovod"}, {"version", "0.28.1"}, {"torch", "2.0.1+cu117"}});
    CHECK(horovod.system == "Horovod 0.28.1");
    CHECK(horovod.torch == "2.0.1+cu117");
    CHECK(horovod.mxnet.empty());
    CHECK(factsWith("Horovod for MXNet 0.28.1", {{"framework", "horovod"}, {"version", "0.28.1"}, {"mxnet", "1.9.1"}})
              .mxnet == "1.9.1");
    CHECK(factsWith("MXNet 1.9.1", {{"framework", "mxnet"}, {"version", "1.9.1"}}).mxnet == "1.9.1");
    CHECK(factsWith("Keras 3.10.0", {{"framework", "keras"}, {"version", "3.10.0"}, {"tensorflow", "2.21.0"}})
              .tensorflow == "2.21.0");
    CHECK(factsWith("TensorFlow 2.21.0", {{"framework", "tensorflow"}, {"version", "2.21.0"}}).tensorflow == "2.21.0");
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

TEST_CASE("an attempt of which no summary can be made is flagged and reported once, and the others have theirs")
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
