// SPDX-License-Identifier: MIT
// Other uses of a database file while Ringside writes it: copies, backups, other programs that open it. Each is
// done beside a program that stores samples, which is then killed; every sample that it had committed has to be there.
#include "core/base/environment.h"
#include "tests/store/storefixture.h"
#include "tests/support/privileges.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using store::Database;

namespace {

constexpr std::uint32_t kSamplesOfDrain = 20;
/// Pages (of 1,000 by default): with so few a checkpoint follows every few transactions, so that kills hit some.
constexpr const char* kManyCheckpoints = "PRAGMA wal_autocheckpoint = 12";

/// A database of its own that no program has open, with the campaign of a StoreFixture in it.
struct Keeper
{
    Keeper() { fixture.db.handle().exec("VACUUM INTO '" + path.string() + "'"); }

    TemporaryFolder folder;
    fs::path path = folder / "lab.db";
    StoreFixture fixture;
};

/// Another process that stores samples without end, and looks into the database on a second connection, as window and
/// command line do.
class WritingProgram
{
public:
    explicit WritingProgram(const Keeper& keeper)
        : m_committed(new (::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                          Counter(0))
    {
        m_pid = ::fork();
        if (m_pid == 0)
            ::_exit(write(keeper));
    }
    WritingProgram(const WritingProgram&) = delete;
    WritingProgram& operator=(const WritingProgram&) = delete;
    ~WritingProgram()
    {
        kill();
        ::munmap(m_committed, sizeof(Counter));
    }

    /// Samples that are stored now.
    std::uint32_t committed() const { return m_committed->load(); }

    /// Until `more` samples are stored in addition; false if the program ended.
    bool awaitMore(std::uint32_t more)
    {
        const std::uint32_t goal = committed() + more;
        while (committed() < goal) {
            if (::waitpid(m_pid, nullptr, WNOHANG) == m_pid) {
                m_pid = 0;
                return false;
            }
            ::usleep(500);
        }
        return true;
    }

    void kill()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
        m_pid = 0;
    }

private:
    using Counter = std::atomic<std::uint32_t>;

    int write(const Keeper& keeper)
    {
        auto db = Database::openForWriting(keeper.path);
        auto ingest = db ? store::Ingest::create(*db) : tl::unexpected(db.error());
        if (!ingest)
            return 1;
        db->handle().exec(kManyCheckpoints);
        for (std::uint32_t at = 0;; at += kSamplesOfDrain) {
            if (!ingest->drain({keeper.fixture.samples(0, 0, at, at + kSamplesOfDrain, at)}))
                return 1;
            m_committed->store(at + kSamplesOfDrain);
            if (!Database::openForReading(keeper.path))
                return 1;
            ::usleep(3000);
        }
    }

    Counter* m_committed;
    pid_t m_pid = 0;
};

struct Neighbour
{
    const char* name;
    const char* script;  ///< for sh, in the folder of lab.db
    bool copies = false; ///< leaves a whole database as copy.db
};

/// In Python, with `how` to connect.
#define PYTHON(how)                                                                                                    \
    "python3 -c \"import sqlite3; c = " how "; print(c.execute('SELECT count(*) FROM samples').fetchone())\""

constexpr Neighbour kNeighbours[] = {
    {"shell", "sqlite3 lab.db 'SELECT count(*) FROM v_samples'"},
    {"shell -readonly", "sqlite3 -readonly lab.db 'SELECT count(*) FROM v_samples'"},
    {"shell, immutable",
     "sqlite3 'file:lab.db?immutable=1' 'SELECT count(*) FROM v_runs' || true"}, // may find it half written
    {".backup", "timeout 10 sqlite3 lab.db '.backup copy.db' || true"},          // need not end while samples come
    {".backup -readonly", "timeout 10 sqlite3 -readonly lab.db '.backup copy.db' || true"},
    {"VACUUM INTO", "sqlite3 lab.db \"VACUUM INTO 'copy.db'\"", true},
    {"VACUUM INTO -readonly", "sqlite3 -readonly lab.db \"VACUUM INTO 'copy.db'\" || true"}, // see STORE.md
    {".dump", "sqlite3 lab.db .dump > dump.sql"},
    {"checkpoint", "sqlite3 lab.db '.timeout 5000' 'PRAGMA wal_checkpoint(TRUNCATE)'"},
    {"cp", "cp lab.db cut.db; cp lab.db-wal cut.db-wal; cp lab.db-shm cut.db-shm; cat lab.db* > all"},
    {"python", PYTHON("sqlite3.connect('lab.db')")},
    {"python, read only", PYTHON("sqlite3.connect('file:lab.db?mode=ro', uri=True)")},
    {"python, immutable", "python3 -c \"import sqlite3; sqlite3.connect('file:lab.db?immutable=1', uri=True).execute("
                          "'SELECT name FROM sqlite_schema').fetchall()\" || true"},
};

int shell(const fs::path& folder, const std::string& script)
{
    return std::system(("cd '" + folder.string() + "' && { " + script + "; } >>neighbours.log 2>&1").c_str());
}

/// Everything up to `committed` is there as it was sent, and nothing is made up.
void requireAll(const fs::path& path, const StoreFixture& sent, std::uint32_t committed)
{
    const auto db = must(Database::openForReading(path));
    const auto stored = must(store::samples(db, sent.plan.runs[0].id, 1));
    REQUIRE(stored.size() >= committed);
    const auto expected = sent.samples(0, 0, 0, static_cast<std::uint32_t>(stored.size()), 0);
    for (std::size_t seq = 0; seq < stored.size(); ++seq)
        REQUIRE(stored[seq].sample == std::get<Sample>(expected.records[seq]));
}

/// After a kill: the store opens, is whole, and holds what was committed.
void requireSurvived(const Keeper& keeper, std::uint32_t committed)
{
    CHECK(must(Database::openForWriting(keeper.path)).handle().execAndGet("PRAGMA integrity_check").getString() ==
          "ok");
    requireAll(keeper.path, keeper.fixture, committed);
}

int seeds()
{
    const char* wanted = environment("RINGSIDE_NEIGHBOUR_SEEDS"); // for a longer search
    return wanted ? std::atoi(wanted) : 2;
}

void visitAndKill(const Neighbour& neighbour, std::uint64_t seed)
{
    CAPTURE(std::string(neighbour.name));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Keeper keeper;
    WritingProgram program(keeper);
    REQUIRE(program.awaitMore(10 * kSamplesOfDrain));
    const std::uint32_t before = program.committed();
    CHECK_MESSAGE(shell(keeper.folder.path(), neighbour.script) == 0,
                  readFile(keeper.folder / "neighbours.log").value_or(""));
    if (neighbour.copies)
        requireAll(keeper.folder / "copy.db", keeper.fixture, before);
    REQUIRE(program.awaitMore(kSamplesOfDrain * static_cast<std::uint32_t>(5 + random() % 30)));
    ::usleep(static_cast<useconds_t>(random() % 3000)); // somewhere in a transaction, a checkpoint, or between
    program.kill();
    const std::uint32_t committed = program.committed();
    if (fs::remove(keeper.folder / "copy.db"); random() % 2 == 0) // the neighbour may be the first to see what it left
        CHECK(shell(keeper.folder.path(), neighbour.script) == 0);
    requireSurvived(keeper, committed);
}

} // namespace

TEST_CASE("whatever is done to a database in use, a program that is killed loses nothing that it had stored")
{
    for (const Neighbour& neighbour : kNeighbours)
        for (int seed = 1; seed <= seeds(); ++seed)
            visitAndKill(neighbour, static_cast<std::uint64_t>(seed));
}

TEST_CASE("a program that has the database open while its writer is killed takes nothing with it")
{
    const Keeper keeper;
    WritingProgram program(keeper);
    REQUIRE(program.awaitMore(10 * kSamplesOfDrain));
    FILE* reader =
        ::popen(("cd '" + keeper.folder.path().string() + "' && exec sqlite3 lab.db >>neighbours.log").c_str(), "w");
    REQUIRE(reader);
    REQUIRE(std::fputs("SELECT count(*) FROM samples;\n", reader) >= 0);
    REQUIRE(std::fflush(reader) == 0);
    REQUIRE(program.awaitMore(20 * kSamplesOfDrain));
    program.kill();
    CHECK(::pclose(reader) == 0); // the last to close it empties the log into the file
    requireSurvived(keeper, program.committed());
}

TEST_CASE("no look into a database in use takes its log from the program that writes it")
{
    const Keeper keeper;
    auto db = must(Database::openForWriting(keeper.path));
    auto ingest = must(store::Ingest::create(db));
    must(ingest.drain({keeper.fixture.samples(0, 0, 0, 5, 100)}));
    SUBCASE("by reading it")
    {
        (void)must(Database::openForReading(keeper.path));
    }
    SUBCASE("by trying to write it")
    {
        CHECK(!Database::openForWriting(keeper.path));
    }
    SUBCASE("by asking who writes it")
    {
        (void)must(store::writerOf(keeper.path));
    }
    REQUIRE(shell(keeper.folder.path(), "sqlite3 lab.db 'SELECT count(*) FROM samples'") == 0);
    CHECK(fs::exists(keeper.path.string() + "-wal"));
    CHECK(fs::exists(keeper.path.string() + "-shm"));
}

TEST_CASE("a name with signs that mean something in an address is a name")
{
    TemporaryFolder folder;
    const fs::path path = folder / "50% of #1?.db";
    const StoreId id = must(Database::openForWriting(path)).id();
    fs::permissions(folder.path(), fs::perms(0555));
    fs::permissions(path, fs::perms(0444));
    CHECK(withoutPrivileges([&] {
        const auto opened = Database::openForReading(path); // as it stands: nothing may be made beside it
        return opened && opened->id() == id;
    }));
    fs::permissions(folder.path(), fs::perms(0700));
}
