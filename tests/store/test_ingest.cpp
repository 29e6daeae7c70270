// SPDX-License-Identifier: MIT
#include "tests/store/storefixture.h"

#include "core/protocol/facts.h"

#include <cmath>

using namespace ringside;
using namespace ringside::test;

TEST_CASE("every record is kept as it was, and a replay adds nothing")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    store::SpoolArrival arrival = store.samples(1, 0, 0, 3, 500);
    std::get<Sample>(arrival.records[1]).loss = std::nanf("");
    std::get<Sample>(arrival.records[2]).bytesSent = 1ull << 40;
    Telemetry telemetry;
    telemetry.atNs = 5;
    telemetry.foreignCpuShare = 0.25f;
    telemetry.memoryBytes = 1u << 30;
    arrival.records.emplace_back(telemetry);
    const GpuTelemetry gpu{6,    0.875f, 40ull << 30, 80ull << 30, 640'000,    1'755, 2'619,
                           0x44, 1'000,  2'000,       1ull << 41,  1ull << 40, 3u,    7ull << 30};
    arrival.records.emplace_back(gpu);
    arrival.records.emplace_back(Heartbeat{});
    arrival.records.emplace_back(BucketTimings{2, {{0, 10, 20, 30}, {1, 40, 50, 60}}});
    arrival.records.emplace_back(ClockPair{7, 8});
    const ClockOffset clock{9, -300'000'000'000, 21'000};
    arrival.records.emplace_back(clock);
    arrival.records.emplace_back(End{3, 0, 0});

    CHECK(must(ingest.drain({arrival})) == 3);
    CHECK(must(ingest.drain({arrival})) == 0);
    const RunId run = store.plan.runs[1].id;
    const auto samples = must(store::samples(store.db, run, 1));
    REQUIRE(samples.size() == 3);
    CHECK(samples[0].sample == std::get<Sample>(arrival.records[0]));
    CHECK(std::isnan(samples[1].sample.loss));
    CHECK(samples[2].sample == std::get<Sample>(arrival.records[2]));
    CHECK(must(store::samples(store.db, run, 1, 2)).size() == 2);
    const auto kept = must(store::telemetry(store.db, run, 1));
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].telemetry == telemetry);
    const auto keptGpu = must(store::gpuTelemetry(store.db, run, 1));
    REQUIRE(keptGpu.size() == 1);
    CHECK(keptGpu[0].rank == 0);
    CHECK(keptGpu[0].telemetry == gpu);
    CHECK(store.count("buckets") == 2);
    const auto clocks = must(store::clockOffsets(store.db, run, 1));
    REQUIRE(clocks.size() == 1);
    CHECK(clocks[0].clock == clock);
    CHECK(store.db.handle().execAndGet("SELECT wall_ns FROM ranks").getInt64() == 8);
    CHECK(store.db.handle().execAndGet("SELECT samples FROM attempts").getInt64() == 3);
}

TEST_CASE("each phase has a column of its name, and an iteration's length is the sum of all")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    store::SpoolArrival arrival = store.samples(1, 0, 0, 1, 500);
    Sample& sample = std::get<Sample>(arrival.records[0]);
    for (const Phase phase : kPhases)
        sample.phases[static_cast<std::size_t>(phase)] = 1'000 << static_cast<int>(phase);
    CHECK(must(ingest.drain({arrival})) == 1);
    const auto stored = [&](const std::string& column, const std::string& table) {
        return store.db.handle().execAndGet("SELECT " + column + " FROM " + table).getInt64();
    };
    for (const Phase phase : kPhases) {
        const std::string column = std::string(nameOf(phase)) + "_ns";
        CAPTURE(column);
        CHECK(stored(column, "samples") == 1'000 << static_cast<int>(phase));
        CHECK(stored(column, "v_samples") == 1'000 << static_cast<int>(phase));
        CHECK(stored("count(*)", "pragma_table_info('summary') WHERE name = '" + column + "'") == 1);
    }
    CHECK(stored("length_ns", "v_samples") == sample.lengthNs());
    CHECK(must(store::samples(store.db, store.plan.runs[1].id, 1)).at(0).sample == sample);
}

TEST_CASE("a phase that a sample does not report is NULL in the view, and nothing is stored where all are")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    store::SpoolArrival arrival = store.samples(1, 0, 0, 2, 500);
    Sample& sample = std::get<Sample>(arrival.records[1]);
    sample.told = {Phase::forward};
    keepTold(sample.phases, sample.told);
    CHECK(must(ingest.drain({arrival})) == 2);
    const auto kept = must(store::samples(store.db, store.plan.runs[1].id, 1));
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].sample.told.hasAll());
    CHECK(kept[1].sample == sample);
    const auto isNull = [&](const std::string& column, const std::string& table, int seq) {
        return store.db.handle()
                   .execAndGet(fmt::format("SELECT {} IS NULL FROM {} WHERE seq = {}", column, table, seq))
                   .getInt() != 0;
    };
    CHECK(isNull("told", "samples", 0));
    for (const Phase phase : kPhases) {
        const std::string column = std::string(nameOf(phase)) + "_ns";
        CAPTURE(column);
        CHECK_FALSE(isNull(column, "samples", 1));
        CHECK_FALSE(isNull(column, "v_samples", 0));
        CHECK(isNull(column, "v_samples", 1) == !sample.told.has(phase));
    }
    for (const int seq : {0, 1})
        CHECK(store.db.handle()
                  .execAndGet("SELECT length_ns FROM v_samples WHERE seq = " + std::to_string(seq))
                  .getInt64() == sample.lengthNs());
}

TEST_CASE("what a sample covers is kept, and NULL of one iteration of one rank")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    store::SpoolArrival arrival = store.samples(1, 0, 0, 6, 500);
    Sample& several = std::get<Sample>(arrival.records[5]);
    several.iterations = 5; // 1 to 5, which begin within the warm-up of two
    several.ofRanks = 2;
    arrival.records.erase(arrival.records.begin() + 1, arrival.records.begin() + 5);
    CHECK(must(ingest.drain({arrival})) == 2);
    const auto kept = must(store::samples(store.db, store.plan.runs[1].id, 1));
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].sample.isSingle());
    CHECK(kept[1].sample == several);
    const auto number = [&](const char* sql) { return store.db.handle().execAndGet(sql).getInt(); };
    CHECK(number("SELECT count(*) FROM samples WHERE seq = 0 AND iterations IS NULL AND of_ranks IS NULL") == 1);
    CHECK(number("SELECT iterations FROM v_samples WHERE seq = 5") == 5);
    CHECK(number("SELECT of_ranks FROM v_samples WHERE seq = 5") == 2);
    CHECK(number("SELECT iterations + of_ranks FROM v_samples WHERE seq = 0") == 2);
    CHECK(number("SELECT sum(warmup) FROM v_samples") == 2);
}

TEST_CASE("of telemetry the newest readings of each rank can be asked for, however many there are")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    const std::map<int, int> readings = {{0, 7}, {1, 2}, {2, 5}};
    for (const auto& [rank, count] : readings) {
        store::SpoolArrival arrival = store.samples(1, rank, 0, 3, 500);
        for (int i = 0; i < count; ++i) {
            Telemetry telemetry;
            telemetry.atNs = 100 * (i + 1) + rank;
            arrival.records.emplace_back(telemetry);
            GpuTelemetry gpu{};
            gpu.atNs = telemetry.atNs;
            arrival.records.emplace_back(gpu);
        }
        must(ingest.drain({arrival}));
    }
    const RunId run = store.plan.runs[1].id;
    CHECK(must(store::telemetry(store.db, run, 1)).size() == 14);
    std::vector<std::pair<int, std::int64_t>> kept, keptGpu;
    for (const auto& each : must(store::telemetry(store.db, run, 1, 3)))
        kept.emplace_back(each.rank, each.telemetry.atNs);
    for (const auto& each : must(store::gpuTelemetry(store.db, run, 1, 3)))
        keptGpu.emplace_back(each.rank, each.telemetry.atNs);
    CHECK(kept == std::vector<std::pair<int, std::int64_t>>{
                      {0, 500}, {0, 600}, {0, 700}, {1, 101}, {1, 201}, {2, 302}, {2, 402}, {2, 502}});
    CHECK(keptGpu == kept);
    CHECK(must(store::telemetry(store.db, run, 2, 3)).empty());
}

TEST_CASE("samples before the journal's word are kept; the word then completes the attempt")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.samples(0, 0, 0, 5, 100), store.change(0, 1, RunState::running, kStart + 7)}));
    CHECK(store.row(0).state == RunState::running);
    CHECK(store.row(0).samples == 5);
    CHECK(store.row(0).lastSeq == 4);
    must(ingest.drain({store.change(0, 1, RunState::starting, kStart)}));
    CHECK(store.row(0).state == RunState::running);
    must(ingest.drain({store.change(0, 1, RunState::done, kStart + 9)}));
    const auto attempt = must(store::attempts(store.db, store.plan.runs[0].id)).front();
    CHECK(attempt.startedAt == kStart);
    CHECK(attempt.endedAt == kStart + 9);
    CHECK(attempt.state == RunState::done);
    must(ingest.drain({store.change(0, 1, RunState::failed, kStart + 10)}));
    CHECK(store.row(0).state == RunState::done);
}

TEST_CASE("why an attempt ended is kept as a code with what it is about, of the attempt and of its run")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    campaign::RunChange failure = store.change(0, 1, RunState::failed, kStart, Cause::lostRank);
    failure.reason = because(why::kSignal, {{"rank", 3}, {"host", "n7 “\"'”"}, {"signal", 9}, {"source", "unknown"}});
    campaign::RunChange cancel = store.change(1, 0, RunState::cancelled, kStart, Cause::cancelled);
    cancel.reason = because(why::kCancelled);
    must(ingest.drain({failure, cancel}));
    CHECK(store.row(0).reason == failure.reason);
    CHECK(store.row(1).reason == cancel.reason);
    CHECK(must(store::attempts(store.db, store.plan.runs[0].id)).at(0).reason == failure.reason);
    SQLite::Statement sql(store.db.handle(), "SELECT reason_code, json_extract(reason, '$.signal') FROM v_runs");
    REQUIRE(sql.executeStep());
    CHECK(sql.getColumn(0).getString() == why::kSignal);
    CHECK(sql.getColumn(1).getInt() == 9);
    must(ingest.drain({store.change(0, 2, RunState::starting, kStart + 1)})); // of which nothing is to be said yet
    CHECK(!store.row(0).reason);
}

TEST_CASE("cursors move with their rows, and never back within a file")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    const auto offset = [&] { return must(store::cursors(store.db, store.plan.campaign)).front().offset; };
    must(ingest.drain({store.samples(0, 0, 0, 5, 100)}));
    must(ingest.drain({store.samples(0, 0, 5, 9, 200)}));
    CHECK(offset() == 200);
    must(ingest.drain({store.samples(0, 0, 0, 5, 100)}));
    CHECK(offset() == 200);
    store::SpoolArrival other = store.samples(0, 0, 0, 5, 50);
    other.cursor.file = "another";
    must(ingest.drain({other}));
    CHECK(offset() == 50);
    must(ingest.drain({store::JournalCursor{store.plan.campaign, {"campaigns/x/journal", "", 77}}}));
    CHECK(must(store::cursors(store.db, store.plan.campaign)).size() == 2);
}

TEST_CASE("facts are kept per attempt")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    Facts facts;
    facts.versions["torch"] = "2.11";
    facts.ranks = {{0, "alder", "cpu", "0-3", 4}};
    must(ingest.drain({store::FactsArrival{store.plan.runs[0].id, 1, factsToJson(facts)}}));
    CHECK(must(store::facts(store.db, store.plan.runs[0].id, 1)) == facts);
    CHECK(!must(store::facts(store.db, store.plan.runs[0].id, 2)));
}
