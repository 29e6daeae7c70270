// SPDX-License-Identifier: MIT
#include "core/store/migrate.h"
#include "core/store/schema.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"

#include <csignal>
#include <sys/resource.h>

using namespace ringside;
using namespace ringside::test;

namespace {

/// Rows of schema 8: why runs and attempts ended, or none said why, and what a site said.
constexpr const char* kSentences = R"sql(
INSERT INTO meta VALUES ('store', '5a3b0d7e-0000-4000-8000-000000000001');
INSERT INTO experiments (id, name, repeats, changed_ns) VALUES (1, 'kept', 4, 1);
INSERT INTO configurations VALUES ('key', '{"ranks":2}', '{}');
INSERT INTO campaigns (id, experiment, site, stage, created_ns, plan, note)
VALUES ('5a3b0d7e-0000-4000-8000-000000000002', 1, 'local', 'ended', 1, '{}', 'It’s "down".');
INSERT INTO runs (number, id, experiment, configuration, campaign, site, kind, repeat, iterations, warmup, seed, attempt,
                  state, since_ns, reason)
SELECT column1, '5a3b0d7e-0000-4000-8000-00000000001' || column1, 1, 'key', '5a3b0d7e-0000-4000-8000-000000000002',
       'local', 'run', column1, 10, 2, 7, column2, column3, 1, column4
FROM (VALUES (1, 2, 'failed', 'Rank 1 on n"7 was silent for 20 s.'),
             (2, 1, 'failed', 'Its files are no longer on the site. Launch it again.'),
             (3, 0, 'queued', NULL),
             (4, 0, 'queued', ''));
INSERT INTO attempts (run, attempt, state, reason)
VALUES (1, 1, 'failed', 'Rank 1 was silent.'), (1, 2, 'failed', ''),
       (2, 1, 'failed', 'Its files are no longer on the site. Launch it again.');
)sql";

} // namespace

TEST_CASE("a migration happens once, after a copy; one that fails changes nothing")
{
    StoreFixture store;
    SQLite::Database& db = store.db.handle();
    std::vector<const char*> steps(store::migrations().begin(), store::migrations().end());
    const int before = store::currentSchema();

    steps.push_back("ALTER TABLE runs ADD COLUMN colour TEXT; UPDATE runs SET nonsense = 1;");
    CHECK(!store::migrate(db, store.path, steps));
    CHECK(db.execAndGet("PRAGMA user_version").getInt() == before);
    CHECK_THROWS(db.exec("SELECT colour FROM runs"));

    steps.back() = "ALTER TABLE runs ADD COLUMN colour TEXT;";
    must(store::migrate(db, store.path, steps));
    CHECK(db.execAndGet("PRAGMA user_version").getInt() == before + 1);
    db.exec("SELECT colour FROM runs");
    const fs::path copy = store::migrationCopy(store.path, before);
    CHECK((fs::status(copy).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
    SQLite::Database old(copy.string(), SQLite::OPEN_READONLY);
    CHECK(old.execAndGet("PRAGMA user_version").getInt() == before);
    CHECK(old.execAndGet("SELECT count(*) FROM runs").getInt() == 2);

    fs::remove(copy);
    must(store::migrate(db, store.path, steps));
    CHECK(!fs::exists(copy));
}

TEST_CASE("a migration whose copy finds no place is refused by name and changes nothing")
{
    StoreFixture store;
    const int before = store::currentSchema();
    const fs::path copy = store::migrationCopy(store.path, before);
    fs::create_directories(copy / "kim's"); // cannot be removed as a file is
    std::vector<const char*> steps(store::migrations().begin(), store::migrations().end());
    steps.push_back("ALTER TABLE runs ADD COLUMN colour TEXT;");
    const auto migrated = store::migrate(store.db.handle(), store.path, steps);
    REQUIRE(!migrated);
    CHECK_MESSAGE(migrated.error().message.find(copy.string()) != std::string::npos, migrated.error().text());
    CHECK(store.db.handle().execAndGet("PRAGMA user_version").getInt() == before);
    CHECK(fs::exists(copy / "kim's"));
}

TEST_CASE("the copy before a migration has the mode of the database, and one that breaks off is removed")
{
    StoreFixture store;
    const fs::path copy = store::migrationCopy(store.path, store::currentSchema());
    std::vector<const char*> steps(store::migrations().begin(), store::migrations().end());
    steps.push_back("ALTER TABLE runs ADD COLUMN colour TEXT;");
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit little{16'384, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
    const auto migrated = store::migrate(store.db.handle(), store.path, steps);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    ::signal(SIGXFSZ, SIG_DFL);
    REQUIRE(!migrated);
    CHECK_MESSAGE(migrated.error().message.find(copy.string()) != std::string::npos, migrated.error().text());
    CHECK(!fs::exists(copy));
    const fs::perms mode = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
    fs::permissions(store.path, mode);
    must(store::migrate(store.db.handle(), store.path, steps));
    CHECK((fs::status(copy).permissions() & fs::perms::all) == mode);
}

TEST_CASE("a database of any earlier schema becomes what a new one is, with what it held")
{
    const TemporaryFolder folder;
    const auto tablesOf = [](SQLite::Database& db) {
        std::vector<std::string> texts;
        SQLite::Statement query(db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name");
        while (query.executeStep())
            texts.push_back(query.getColumn(0));
        return texts;
    };
    StoreFixture fresh;
    for (int from = 1; from < store::currentSchema(); ++from) {
        CAPTURE(from);
        const fs::path path = folder / fmt::format("schema-{}.db", from);
        {
            SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            old.exec("PRAGMA application_id = 0x52696E67");
            must(store::migrate(old, path, store::migrations().first(static_cast<std::size_t>(from))));
            CHECK(old.execAndGet("PRAGMA user_version").getInt() == from);
            old.exec("INSERT INTO meta VALUES ('store', '5a3b0d7e-0000-4000-8000-000000000001')");
            old.exec("INSERT INTO experiments (name, repeats, changed_ns) VALUES ('kept', 6, 1)");
        }
        auto db = must(store::Database::openForWriting(path));
        CHECK(db.handle().execAndGet("PRAGMA user_version").getInt() == store::currentSchema());
        CHECK(tablesOf(db.handle()) == tablesOf(fresh.db.handle()));
        CHECK(db.handle().execAndGet("SELECT repeats FROM experiments WHERE name = 'kept'").getInt() == 6);
        CHECK(fs::exists(store::migrationCopy(path, from)));
    }
}

TEST_CASE("sentences from before there were codes stay readable; the one that is asked for becomes a code")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-8.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(8)));
        old.exec(kSentences);
    }
    const auto db = must(store::Database::openForWriting(path));
    const auto runs = must(store::runs(db));
    REQUIRE(runs.size() == 4);
    CHECK(runs[0].reason == Reason{{}, {}, "Rank 1 on n\"7 was silent for 20 s."});
    CHECK(runs[1].reason == because(why::kFilesGone));
    CHECK(!runs[2].reason);
    CHECK(!runs[3].reason);
    const auto attempts = must(store::attempts(db, runs[0].id));
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].reason == Reason{{}, {}, "Rank 1 was silent."});
    CHECK(attempts[1].reason.empty());
    CHECK(must(store::attempts(db, runs[1].id)).at(0).reason == because(why::kFilesGone));
    const CampaignId campaign = runs[0].campaign;
    CHECK(must(store::campaignById(db, campaign))->note == Reason{{}, {}, "It’s \"down\"."});
    CHECK(must(store::lostSamples(db, campaign)) == std::vector<store::LostSamples>{{2, 20, true}});
    SQLite::Statement codes(db.handle(), "SELECT reason_code FROM v_runs ORDER BY number");
    for (const char* code : {"", "files_gone", "", ""}) {
        REQUIRE(codes.executeStep());
        CHECK(codes.getColumn(0).getString() == code);
    }
}

TEST_CASE("samples and summaries from the time before partial reports have all phases")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-9.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(8)));
        old.exec(kSentences);
        must(store::migrate(old, path, store::migrations().first(9)));
        old.exec(
            "INSERT INTO samples SELECT id, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 4, 0, 1.5 FROM attempts;"
            "INSERT INTO summary SELECT id, 0, 2, 8, 32, 9, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 1.5 FROM attempts");
    }
    const auto db = must(store::Database::openForWriting(path));
    const RunId run = must(store::runs(db)).at(0).id;
    const Sample sample = must(store::samples(db, run, 1)).at(0).sample;
    CHECK(sample.phases == PhaseTimes{2, 3, 4, 5, 6, 7, 8});
    CHECK(sample.told.hasAll());
    CHECK(sample.loss == 1.5f);
    const store::RankSummary summary = must(store::attempts(db, run)).at(0).ranks.at(0);
    CHECK(summary.phaseSums == sample.phases);
    CHECK(summary.told.hasAll());
    CHECK(db.handle().execAndGet("SELECT input_wait_ns + update_ns FROM v_samples").getInt() == 9);
}

TEST_CASE("samples and summaries of schema 10 are of one iteration of one rank each")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-10.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(8)));
        old.exec(kSentences);
        must(store::migrate(old, path, store::migrations().first(10)));
        old.exec(
            "INSERT INTO samples SELECT id, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 4, 0, 1.5, 8 FROM attempts;"
            "INSERT INTO summary SELECT id, 0, 2, 8, 32, 9, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 1.5, 8 FROM attempts");
    }
    auto db = must(store::Database::openForWriting(path));
    const RunId run = must(store::runs(db)).at(0).id;
    const Sample sample = must(store::samples(db, run, 1)).at(0).sample;
    CHECK(sample.isSingle());
    CHECK(sample.firstSeq() == 7);
    CHECK(sample.told == PhaseSet{Phase::backward});
    store::RankSummary summary = must(store::attempts(db, run)).at(0).ranks.at(0);
    CHECK(summary.iterations == 8);
    CHECK_FALSE(summary.isInParts());
    CHECK(summary.ofRanks == 1);
    CHECK(db.handle().execAndGet("SELECT iterations + of_ranks + warmup FROM v_samples").getInt() == 2);
}

TEST_CASE("attempts that ended before reasons of flags were stored are judged anew")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-7.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(7)));
        old.exec(
            "INSERT INTO meta VALUES ('store', '5a3b0d7e-0000-4000-8000-000000000001');"
            "INSERT INTO experiments (id, name, repeats, changed_ns) VALUES (1, 'kept', 6, 1);"
            "INSERT INTO configurations VALUES ('key', '{}', '{}');"
            "INSERT INTO runs (number, id, experiment, configuration, site, kind, repeat, iterations, warmup, seed, "
            "attempt, state, since_ns) VALUES (1, '5a3b0d7e-0000-4000-8000-000000000002', 1, 'key', 'local', 'run', 1, "
            "10, 2, 7, 1, 'done', 1);"
            "INSERT INTO attempts (id, run, attempt, state, records, summarised, flags) VALUES (1, 1, 1, 'done', 5, 5, "
            "'[\"disturbed\"]');");
    }
    auto db = must(store::Database::openForWriting(path));
    REQUIRE(must(store::refreshSummaries(db)).size() == 1);
    const auto count = [&](const char* sql) { return db.handle().execAndGet(sql).getInt(); };
    CHECK(count("SELECT disturbed FROM v_runs") == 0);
    CHECK(count("SELECT incomplete FROM v_runs") == 1);
    CHECK(count("SELECT count(*) FROM flag_reasons WHERE code = 'missing_spools' AND usual = 1") == 1);
}

namespace {

/// Rows of schema 13: run 1 of two ranks on two hosts, run 2 of one rank of a system; a second measured of each, in
/// which their processes had a quarter of a host of eight cores. Facts of run 1 have the cores of rank 0's host.
constexpr const char* kShares = R"sql(
INSERT INTO meta VALUES ('store', '5a3b0d7e-0000-4000-8000-000000000001');
INSERT INTO experiments (id, name, repeats, changed_ns) VALUES (1, 'kept', 2, 1);
INSERT INTO configurations VALUES ('own', '{"ranks":2}', '{}'), ('system', '{"ranks":1,"engine":"caffe"}', '{}');
INSERT INTO runs (number, id, experiment, configuration, site, kind, repeat, iterations, warmup, seed, attempt, state, since_ns)
VALUES (1, '5a3b0d7e-0000-4000-8000-000000000011', 1, 'own', 'local', 'run', 1, 2, 1, 7, 1, 'done', 1),
       (2, '5a3b0d7e-0000-4000-8000-000000000012', 1, 'system', 'local', 'run', 1, 2, 1, 7, 1, 'done', 1);
INSERT INTO attempts (id, run, attempt, state, records, summarised) VALUES (1, 1, 1, 'done', 9, 9), (2, 2, 1, 'done', 9, 9);
INSERT INTO ranks (attempt, rank, world_size, host) VALUES (1, 0, 2, 'n1'), (1, 1, 2, 'n2'), (2, 0, 1, 'n1');
INSERT INTO samples (attempt, rank, seq, start_ns, input_wait_ns, h2d_ns, forward_ns, backward_ns, comm_exposed_ns,
                     update_ns, other_ns, read_ns, decode_ns, h2d_total_ns, comm_total_ns, bytes_sent, items, bad_items, loss)
SELECT attempt, rank, value, 1000000000 * value, 0, 0, 1000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1.5
FROM ranks JOIN json_each('[0, 1]');
INSERT INTO telemetry (attempt, rank, at_ns, cpu_share, own_cpu_share, foreign_cpu_share, memory_bytes, host_memory_used_bytes,
                       disk_read_bytes, network_sent_bytes)
SELECT attempt, rank, 1000000000 * value, 0.5, 0.25, 0, 0, 0, 0, 0 FROM ranks JOIN json_each('[1, 2]');
INSERT INTO facts SELECT id, json_object('machine', json_object('host', 'n1', 'cores', '8'), 'ranks', json_array(
    json_object('rank', 0, 'host', 'n1', 'threads', 4), json_object('rank', 1, 'host', 'n2', 'threads', 4))) FROM attempts;
)sql";

} // namespace

TEST_CASE(
    "what earlier telemetry says of a rank's process is converted where it is all of the rank and its cores are known")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-13.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(13)));
        old.exec(kShares);
    }
    auto db = must(store::Database::openForWriting(path));
    REQUIRE(must(store::refreshSummaries(db)).size() == 1); // nothing changes for the system
    const auto runs = must(store::measuredRuns(db, "kept"));
    REQUIRE(runs.at(0).ranks.size() == 2);
    CHECK(runs[0].ranks[0].ownCoresShare == doctest::Approx(0.5)); // 2 of 4 cores
    CHECK_FALSE(runs[0].ranks[1].ownCoresShare);                   // how many cores n2 has was not recorded
    const auto system = must(store::telemetry(db, runs[1].row.id, 1));
    REQUIRE(system.size() == 2);
    CHECK(system[0].telemetry.ownCpuShare == 0.25f);
    CHECK(system[0].telemetry.ownCoresShare == Telemetry::kNotTold);
}

TEST_CASE("attempts that lost samples are summed up by the present rule, and no others")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "schema-14.db";
    {
        SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec("PRAGMA application_id = 0x52696E67");
        must(store::migrate(old, path, store::migrations().first(8)));
        old.exec(kSentences);
        must(store::migrate(old, path, store::migrations().first(14)));
        old.exec("UPDATE attempts SET summarised = 7, flags = iif(run = 1, '[\"incomplete\"]', '[\"short\"]')");
    }
    auto db = must(store::Database::openForWriting(path));
    const auto count = [&](const char* condition) {
        return db.handle().execAndGet(fmt::format("SELECT count(*) FROM attempts WHERE {}", condition)).getInt();
    };
    CHECK(count("incomplete = 1 AND summarised = -1") == 2);
    CHECK(count("incomplete = 0 AND summarised = 7") == 1);
}
