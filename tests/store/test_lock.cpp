// SPDX-License-Identifier: MIT
#include "tests/store/storefixture.h"

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using store::Database;

namespace {

/// Another process that holds the store until it is killed.
class OtherWriter
{
public:
    explicit OtherWriter(const fs::path& path)
    {
        int ready[2];
        REQUIRE(::pipe(ready) == 0);
        m_pid = ::fork();
        if (m_pid == 0) {
            const auto db = Database::openForWriting(path);
            (void)!::write(ready[1], db ? "y" : "n", 1);
            ::pause();
            ::_exit(0);
        }
        char answer = 0;
        REQUIRE(::read(ready[0], &answer, 1) == 1);
        REQUIRE(answer == 'y');
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~OtherWriter() { kill(); }
    void kill()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
        m_pid = 0;
    }
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid = 0;
};

/// A file can be cut but not written, as on a full disk whose freed room is gone at once.
class NothingFits
{
public:
    NothingFits()
    {
        ::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &m_before) == 0);
        const rlimit none{0, m_before.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    }
    ~NothingFits()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        ::signal(SIGXFSZ, SIG_DFL);
    }

private:
    rlimit m_before = {};
};

} // namespace

TEST_CASE("a second writer gets an error that names the first; a dead one holds nothing")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db";
    CHECK(!must(store::writerOf(path)));
    OtherWriter other(path);
    const auto refused = Database::openForWriting(path);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::busy);
    const std::string named = path.string() + " is in use by test_store (process " + std::to_string(other.pid());
    CHECK_MESSAGE(refused.error().message.starts_with(named), refused.error().text());
    CHECK(!refused.error().hint.empty());
    const auto writer = must(store::writerOf(path));
    REQUIRE(writer);
    CHECK(writer->pid == other.pid());
    CHECK(writer->program == "test_store");
    CHECK(!writer->host.empty());
    CHECK(!must(Database::openForReading(path)).withoutWriterSince());

    other.kill();
    CHECK(!must(store::writerOf(path)));
    CHECK(must(Database::openForReading(path)).withoutWriterSince());
    CHECK(Database::openForWriting(path));
}

TEST_CASE("a store that is opened by a link has the lock of its file, which is made where the link leads")
{
    TemporaryFolder folder;
    const fs::path path = folder / "data/lab.db", link = folder / "lab.db", again = folder / "again.db";
    fs::create_symlink("data/lab.db", link);
    fs::create_symlink(link, again);
    {
        const auto made = must(Database::openForWriting(again));
        CHECK(made.path() == path);
        for (const fs::path& name : {path, link, again}) {
            const auto second = Database::openForWriting(name);
            REQUIRE(!second);
            CHECK(second.error().code == ErrorCode::busy);
            CHECK(must(store::writerOf(name)));
            CHECK(store::isFileOf(name, path.string() + "-wal"));
        }
        CHECK(!must(Database::openForReading(link)).withoutWriterSince());
    }
    CHECK(fs::is_symlink(link));
    CHECK(!fs::exists(link.string() + "-lock"));
    CHECK(must(Database::openForReading(link)).withoutWriterSince());
}

TEST_CASE("a lock that cannot be written leaves the mark of a writer that died")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db";
    (void)OtherWriter(path); // killed
    {
        const NothingFits full;
        CHECK(!store::WriterLock::acquire(path));
    }
    CHECK(must(store::WriterLock::acquire(path)).afterUncleanExit());
}

TEST_CASE("the error of a lock that cannot be taken names the database")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db";
    REQUIRE(fs::create_directory(folder / "lab.db-lock"));
    const auto refused = Database::openForWriting(path);
    REQUIRE(!refused);
    CHECK(refused.error().message.find(path.string() + ":") != std::string::npos);
    CHECK(refused.error().message.find("-lock") == std::string::npos);
}

TEST_CASE("a pipe in place of the lock is not waited for")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db";
    CHECK(Database::openForWriting(path));
    fs::remove(folder / "lab.db-lock");
    REQUIRE(::mkfifo((folder / "lab.db-lock").c_str(), 0600) == 0);
    CHECK(!must(store::writerOf(path)));
    CHECK(Database::openForReading(path));
    const auto refused = Database::openForWriting(path);
    REQUIRE(!refused);
    CHECK(refused.error().message.find(path.string()) != std::string::npos);
}

TEST_CASE("a program whose name is no text takes the lock, too")
{
    TemporaryFolder folder;
    char* const before = program_invocation_short_name;
    char odd[] = "ring\xff\xfeside";
    program_invocation_short_name = odd;
    {
        const auto db = Database::openForWriting(folder / "lab.db");
        CHECK(db);
        CHECK(must(store::writerOf(folder / "lab.db")));
    }
    program_invocation_short_name = before;
}

TEST_CASE("a child that outlives the writer does not hold its lock")
{
    TemporaryFolder folder;
    const fs::path path = folder / "lab.db";
    pid_t child = 0;
    {
        const auto db = must(Database::openForWriting(path));
        child = ::fork();
        if (child == 0) {
            ::execlp("sleep", "sleep", "60", nullptr);
            ::_exit(127);
        }
        while (must(readFile("/proc/" + std::to_string(child) + "/comm")) != "sleep\n")
            ::usleep(1000);
    }
    CHECK(Database::openForWriting(path));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_CASE("running runs are unknown to a reader once there is no writer")
{
    TemporaryFolder keeper;
    RunId id;
    const fs::path path = keeper / "lab.db";
    {
        StoreFixture store;
        must(store::setStage(store.db, store.plan.campaign, campaign::Stage::submitted, "4711"));
        store::Ingest ingest = must(store::Ingest::create(store.db));
        must(ingest.drain({store.change(0, 1, RunState::starting, kStart),
                           store.change(1, 1, RunState::starting, kStart),
                           store.change(1, 1, RunState::done, kStart + 5)}));
        CHECK(store.row(0).state == RunState::starting);
        id = store.plan.runs[0].id;
        store.db.handle().exec("VACUUM INTO '" + path.string() + "'");
    }
    const auto reader = must(Database::openForReading(path));
    const auto row = must(store::runById(reader, id));
    CHECK(row->state == RunState::unknown);
    CHECK(row->since == *reader.withoutWriterSince());
    const auto experiment = must(store::experimentByName(reader, "first-light"));
    CHECK(experiment->runs == store::RunCounts{2, 0, 0, 1, 0, 0, 1});
    CHECK(experiment->unknownSince == reader.withoutWriterSince());
}
