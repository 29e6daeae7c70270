// SPDX-License-Identifier: MIT
#include "core/store/schema.h"
#include "core/store/summaries.h"
#include "tests/store/storefixture.h"
#include "tests/support/privileges.h"
#include "tests/support/smalldisk.h"

#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using store::Database;

namespace {

std::string bytesOf(const fs::path& path)
{
    return must(readFile(path));
}

void overwrite(const fs::path& path, std::size_t offset, std::string_view bytes)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string messageOf(const fs::path& path)
{
    return Database::openForReading(path).error().message;
}

void requireUntouched(const fs::path& path, ErrorCode code)
{
    const std::string before = bytesOf(path);
    for (const auto open : {&Database::openForWriting, &Database::openForReading}) {
        const auto opened = open(path);
        REQUIRE(!opened);
        CHECK(opened.error().code == code);
        CHECK_MESSAGE(opened.error().message.find(path.filename().string()) != std::string::npos,
                      opened.error().message);
    }
    CHECK(bytesOf(path) == before);
    CHECK(!fs::exists(path.string() + "-wal"));
    CHECK(!fs::exists(path.string() + "-journal"));
}

} // namespace

TEST_CASE("a new store is private, has its identity, and keeps it")
{
    TemporaryFolder folder;
    const fs::path path = folder / "sub/lab.db";
    const StoreId id = must(Database::openForWriting(path)).id();
    struct stat info;
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    CHECK(!id.empty());
    CHECK(must(Database::openForWriting(path)).id() == id);
    CHECK(must(Database::openForReading(path)).id() == id);
    auto db = must(Database::openForReading(path));
    CHECK(db.handle().execAndGet("PRAGMA application_id").getInt() == store::kApplicationId);
    CHECK(db.handle().execAndGet("PRAGMA user_version").getInt() == store::currentSchema());
    CHECK(db.handle().execAndGet("PRAGMA journal_mode").getString() == "wal");
}

TEST_CASE("a file that is no store is refused and left as it is")
{
    TemporaryFolder folder;
    SUBCASE("text")
    {
        std::ofstream(folder / "notes.db") << std::string(5000, 'x');
        requireUntouched(folder / "notes.db", ErrorCode::damaged);
    }
    SUBCASE("shorter than a head")
    {
        std::ofstream(folder / "short.db") << "SQLite format 3";
        requireUntouched(folder / "short.db", ErrorCode::damaged);
    }
    SUBCASE("a database of another program")
    {
        SQLite::Database(std::string(folder / "other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
            .exec("CREATE TABLE t (x)");
        requireUntouched(folder / "other.db", ErrorCode::damaged);
    }
    SUBCASE("cut off")
    {
        (void)must(Database::openForWriting(folder / "cut.db"));
        fs::resize_file(folder / "cut.db", fs::file_size(folder / "cut.db") / 2);
        requireUntouched(folder / "cut.db", ErrorCode::damaged);
    }
    SUBCASE("of a newer version")
    {
        (void)must(Database::openForWriting(folder / "new.db"));
        overwrite(folder / "new.db", 60, std::string_view("\0\0\0\x63", 4));
        requireUntouched(folder / "new.db", ErrorCode::newerVersion);
        CHECK_MESSAGE(messageOf(folder / "new.db").find("by a later version of Ringside (schema 99; this is") !=
                          std::string::npos,
                      messageOf(folder / "new.db"));
    }
    SUBCASE("of a newer version that says its number")
    {
        must(Database::openForWriting(folder / "new.db"))
            .handle()
            .exec("UPDATE meta SET value = '9.1' WHERE name = 'written_by'; PRAGMA user_version = 99");
        requireUntouched(folder / "new.db", ErrorCode::newerVersion);
        CHECK(messageOf(folder / "new.db").find("by Ringside 9.1 (schema 99;") != std::string::npos);
    }
}

TEST_CASE("a newer schema that stands in the log alone is refused, and file and log are left as they are")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db", copy = folder / "copy.db", log = copy.string() + "-wal";
    const auto db = must(Database::openForWriting(path));
    db.handle().exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.handle().exec("UPDATE meta SET value = '9.1' WHERE name = 'written_by'; PRAGMA user_version = 99");
    fs::copy_file(path, copy);
    fs::copy_file(path.string() + "-wal", log);
    const std::string before = bytesOf(copy) + bytesOf(log);
    for (const auto open : {&Database::openForReading, &Database::openForWriting}) {
        const auto opened = open(copy);
        REQUIRE(!opened);
        CHECK(opened.error().code == ErrorCode::newerVersion);
        CHECK_MESSAGE(opened.error().message.find("by Ringside 9.1 (schema 99;") != std::string::npos,
                      opened.error().message);
        CHECK(bytesOf(copy) + bytesOf(log) == before);
    }
}

TEST_CASE("damage inside is found after an unclean exit")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    for (std::uint32_t at = 0; at < 20'000; at += 1000)
        must(ingest.drain({store.samples(0, 0, at, at + 1000, at)}));
    store.db.handle().exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const fs::path copy = store.folder / "copy.db";
    fs::copy_file(store.path, copy);
    overwrite(copy, fs::file_size(copy) / 2 / 4096 * 4096, std::string(4096, '\x7F'));
    std::ofstream(copy.string() + "-lock") << "{\"program\": \"ringside\", \"pid\": 1}\n"; // its writer died
    for (int attempt = 0; attempt < 2; ++attempt) { // a refusal is no orderly end
        const auto opened = Database::openForWriting(copy);
        REQUIRE(!opened);
        CHECK(opened.error().code == ErrorCode::damaged);
    }
}

TEST_CASE("a store made where the log of a removed one lies has nothing of it")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db", log = path.string() + "-wal";
    {
        auto db = must(Database::openForWriting(path));
        db.handle().exec("CREATE TABLE of_the_old_one AS SELECT hex(randomblob(20000)) AS x");
        fs::copy_file(log, folder / "log");
    }
    fs::remove(path);
    fs::rename(folder / "log", log);
    auto db = must(Database::openForWriting(path));
    CHECK(db.handle().execAndGet("PRAGMA quick_check").getString() == "ok");
    CHECK(!db.handle().tableExists("of_the_old_one"));
    CHECK(fs::file_size(log.string() + ".left") > 20'000); // the former may lack it
}

TEST_CASE("a missing or forbidden place is named")
{
    TemporaryFolder folder;
    CHECK(Database::openForReading(folder / "none.db").error().code == ErrorCode::notFound);
    fs::create_directory(folder / "lab.db");
    CHECK(!Database::openForWriting(folder / "lab.db"));
    fs::create_directory(folder / "closed");
    fs::permissions(folder / "closed", fs::perms(0555));
    CHECK(withoutPrivileges([&] {
        const auto opened = Database::openForWriting(folder / "closed/lab.db");
        return !opened && opened.error().code == ErrorCode::permission;
    }));
}

TEST_CASE("a reader where nothing may be made beside the file says when it is outdated")
{
    CHECK(withoutPrivileges([] {
        const TemporaryFolder folder;
        const fs::path path = folder / "lab.db";
        const auto write = [&](const char* name) {
            fs::permissions(folder.path(), fs::perms(0700));
            {
                const auto db = Database::openForWriting(path);
                db->handle().exec(fmt::format("INSERT INTO meta (name, value) VALUES ('{}', '1')", name));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20)); // a file's time has the grain of a tick
            fs::permissions(folder.path(), fs::perms(0555));
        };
        const auto isThere = [](const Database& db, const char* name) {
            return db.handle().execAndGet(fmt::format("SELECT count(*) FROM meta WHERE name = '{}'", name)).getInt() ==
                   1;
        };
        write("first");
        auto reader = Database::openForReading(path);
        const bool isFresh = reader && isThere(*reader, "first") && !reader->isOutdated();
        write("second");
        const bool isOutdated = isFresh && reader->isOutdated();
        reader = Database::openForReading(path);
        const bool isSeen = reader && isThere(*reader, "second") && !reader->isOutdated();
        fs::permissions(folder.path(), fs::perms(0700));
        return isOutdated && isSeen;
    }));
    TemporaryFolder folder;
    const auto writer = must(Database::openForWriting(folder / "lab.db"));
    const auto reader = must(Database::openForReading(folder / "lab.db"));
    writer.handle().exec("INSERT INTO meta (name, value) VALUES ('third', '1')");
    CHECK_FALSE(reader.isOutdated()); // it sees everything
}

TEST_CASE("a disk that fills up while a store is made leaves nothing behind, and is said to be full")
{
    TemporaryFolder folder;
    int refusals = 0;
    for (int kib = 8; kib <= 400; kib += 24) {
        CAPTURE(kib);
        SmallDisk disk(folder.path(), kib);
        if (!disk.problem().empty()) {
            MESSAGE("skipped: no small disk can be mounted here: " << disk.problem());
            return;
        }
        if (const auto opened = Database::openForWriting(folder / "lab.db"); !opened) {
            ++refusals;
            CHECK(opened.error().code == ErrorCode::noSpace);
            CHECK_MESSAGE(opened.error().message.find("full") != std::string::npos, opened.error().message);
        }
        for (const char* rest : {".new", ".new-journal", ".new-wal", ".new-shm"})
            CHECK(!fs::exists((folder / "lab.db").string() + rest));
        disk.grow();
        CHECK(must(Database::openForWriting(folder / "lab.db")).isWritable());
    }
    CHECK(refusals > 3);
}

TEST_CASE("a store on a full disk can be read")
{
    TemporaryFolder folder;
    const SmallDisk disk(folder.path(), 400);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: no small disk can be mounted here: " << disk.problem());
        return;
    }
    const StoreId id = must(Database::openForWriting(folder / "lab.db")).id();
    std::ofstream(folder / "fill") << std::string(1u << 20, 'x');
    REQUIRE(fs::space(folder.path()).available == 0);
    CHECK(must(Database::openForReading(folder / "lab.db")).id() == id);
    CHECK(!Database::openForWriting(folder / "lab.db"));
}

TEST_CASE("a full disk is said to be full, and nothing is half stored")
{
    StoreFixture store;
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.samples(0, 0, 0, 5, 100)}));
    // SQLite's own limit on pages fails with the very code of a full disk.
    const int pages = store.db.handle().execAndGet("PRAGMA page_count").getInt();
    store.db.handle().exec("PRAGMA max_page_count = " + std::to_string(pages));
    const auto refused = ingest.drain({store.samples(0, 0, 5, 50'000, 200)});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::noSpace);
    CHECK(store.count("samples") == 5);
    CHECK(must(store::cursors(store.db, store.plan.campaign)).front().offset == 100);
    store.db.handle().exec("PRAGMA max_page_count = 1000000");
    CHECK(must(ingest.drain({store.samples(0, 0, 5, 50'000, 200)})) == 49'995);
}

TEST_CASE_FIXTURE(StoreFixture, "nothing is stored in a file that has gone from its place, until it is back")
{
    auto ingest = must(store::Ingest::create(db));
    must(ingest.drain({samples(0, 0, 0, 5, 100)}));
    const fs::path moved = folder / "moved.db", backup = folder / "backup.db";
    db.handle().exec("VACUUM INTO '" + backup.string() + "'");
    fs::rename(path, moved);
    SUBCASE("moved") {}
    SUBCASE("replaced")
    {
        fs::rename(backup, path);
    }
    const Result<void> refusals[] = {
        ingest.drain({samples(0, 0, 5, 10, 200)}).map([](std::int64_t) {}),
        store::setHeld(db, plan.campaign, true),
        store::flushToDisk(db), // before every clean-up
        store::refreshSummaries(db).map([](const std::vector<RunId>&) {}),
    };
    for (const Result<void>& refused : refusals) {
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::io);
        CHECK_MESSAGE(refused.error().message.find("no longer at " + path.string()) != std::string::npos,
                      refused.error().text());
        CHECK(!refused.error().hint.empty());
    }
    CHECK(count("samples") == 5);
    fs::rename(moved, path);
    CHECK(must(ingest.drain({samples(0, 0, 5, 10, 200)})) == 5);
    must(store::flushToDisk(db));
}

TEST_CASE("a reader beside the writer sees what is committed and can change nothing")
{
    StoreFixture store;
    auto reader = must(Database::openForReading(store.path));
    CHECK(must(store::runs(reader)).size() == 2);
    CHECK_THROWS(reader.handle().exec("DELETE FROM runs"));
    store::Ingest ingest = must(store::Ingest::create(store.db));
    must(ingest.drain({store.samples(0, 0, 0, 5, 100)}));
    CHECK(must(store::runs(reader)).front().samples == 0); // the journal has not spoken of an attempt
    CHECK(must(store::samples(reader, store.plan.runs[0].id, 1)).size() == 5);
}
