// SPDX-License-Identifier: MIT
#include "core/store/database.h"

#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/filesystem.h"
#include "core/base/words.h"
#include "core/store/guard.h"
#include "core/store/inspect.h"
#include "core/store/keptstatements.h"
#include "core/store/migrate.h"
#include "core/store/schema.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::store {

struct Database::Parts
{
    fs::path path;
    std::optional<WriterLock> lock; // declared before the connection: let go of after it is closed
    std::unique_ptr<SQLite::Database> connection;
    std::optional<KeptStatements> statements; // declared after the connection: ended before it
    StoreId id;
    std::optional<std::int64_t> asOfNs; ///< the last write before it was opened as it stood
};

namespace {

/// A reader of a busy database or a writer behind a checkpoint waits at most this long.
constexpr int kBusyLimitMs = 5000;
/// quick_check after an unclean exit reads the whole file; a large one is trusted after this long.
constexpr std::int64_t kCheckLimitNs = 5'000'000'000;
bool isAbsentOrEmpty(const fs::path& path)
{
    struct stat info;
    return ::stat(path.c_str(), &info) != 0 ? errno == ENOENT : S_ISREG(info.st_mode) && info.st_size == 0;
}

fs::path folderOf(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// On file systems that other hosts see, too, SQLite's WAL is not safe (UX message 14).
Result<void> requireLocalDisk(const fs::path& folder)
{
    TRY_ASSIGN(const FileSystem found, fileSystemOf(folder));
    if (!found.network)
        return {};
    return fail(
        ErrorCode::unavailable,
        Words::tr("{} is a network folder ({}); the database could be damaged there.", folder.string(), *found.network),
        Words::tr("Choose a folder on a local disk."));
}

void configure(SQLite::Database& db)
{
    db.setBusyTimeout(kBusyLimitMs); // first: even the switch to WAL can find the file busy
    db.exec("PRAGMA foreign_keys = ON");
    db.exec("PRAGMA temp_store = MEMORY");
}

/// WAL and its companions; NORMAL leaves the file whole, and what must outlive a power cut is written with FULL.
void configureWriter(SQLite::Database& db)
{
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA journal_size_limit = 67108864");
    db.exec("PRAGMA cache_size = -32768");
}

void stamp(SQLite::Database& db)
{
    SQLite::Statement version(db, "INSERT OR REPLACE INTO meta (name, value) VALUES ('written_by', ?)");
    version.bind(1, RINGSIDE_VERSION);
    version.exec();
}

void fillNew(SQLite::Database& db)
{
    SQLite::Statement insert(db, "INSERT INTO meta (name, value) VALUES ('store', ?), ('created', ?)");
    insert.bind(1, StoreId::random().str());
    insert.bind(2, std::to_string(wallNs()));
    insert.exec();
}

/// Mode 0600 from the first moment.
Result<void> createFile(const fs::path& path)
{
    if (Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)).get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot create the database"), path, errno));
    return {};
}

void removeWithCompanions(const fs::path& path)
{
    for (const char* rest : {"", "-journal", "-wal", "-shm"})
        ::unlink((path.string() + rest).c_str());
}

/// The name, or the first "NAME-2", "NAME-3" … that nothing has.
fs::path freeName(const std::string& wanted)
{
    std::error_code ignored;
    fs::path name = wanted;
    for (int number = 2; fs::exists(fs::symlink_status(name, ignored)); ++number)
        name = fmt::format("{}-{}", wanted, number);
    return name;
}

/// Logs whose database is gone: SQLite would read them into the next one. They may hold what the database that was
/// moved away lacks, so they stay under another name.
Result<void> setLogsAside(const fs::path& path)
{
    for (const char* rest : {"-journal", "-wal"}) {
        const fs::path log = path.string() + rest;
        if (::rename(log.c_str(), freeName(log.string() + ".left").c_str()) != 0 && errno != ENOENT)
            return tl::unexpected(systemError(Words::noop("cannot rename"), log, errno));
    }
    ::unlink((path.string() + "-shm").c_str()); // an index of the log, which SQLite makes anew
    return {};
}

/// Without WAL: what is committed is in the file itself, and closing it has nothing left to do that could fail
/// unnoticed.
Result<void> fill(const fs::path& unfinished, const fs::path& path)
{
    return guarded(path, [&]() -> Result<void> {
        SQLite::Database db(unfinished.string(), SQLite::OPEN_READWRITE);
        db.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
        TRY(migrate(db, path, migrations()));
        fillNew(db);
        return {};
    });
}

Result<void> renameTo(const fs::path& unfinished, const fs::path& path)
{
    if (::rename(unfinished.c_str(), path.c_str()) != 0)
        return tl::unexpected(systemError(Words::noop("cannot create the database"), path, errno));
    return {};
}

/// Makes an empty store under another name and renames it: a reader finds a whole one at any time.
/// The writer lock is held, so the other name is ours, and so is a log without its database, which SQLite would read
/// into the new one.
Result<void> create(const fs::path& path)
{
    const fs::path unfinished = path.string() + ".new";
    removeWithCompanions(unfinished);
    const auto created = createFile(unfinished)
                             .and_then([&] { return fill(unfinished, path); })
                             .and_then([&] { return setLogsAside(path); })
                             .and_then([&] { return renameTo(unfinished, path); });
    if (!created)
        removeWithCompanions(unfinished);
    return created;
}

Result<StoreId> readId(SQLite::Database& db)
{
    return StoreId::parse(db.execAndGet("SELECT value FROM meta WHERE name = 'store'").getString());
}

int pastCheckLimit(void* deadline)
{
    return monotonicNs() > *static_cast<std::int64_t*>(deadline);
}

/// After an unclean exit: what SQLite itself finds wrong, as far as kCheckLimitNs reaches.
Result<void> quickCheck(SQLite::Database& db, const fs::path& path)
{
    std::int64_t deadline = monotonicNs() + kCheckLimitNs;
    sqlite3_progress_handler(db.getHandle(), 10'000, pastCheckLimit, &deadline);
    SQLite::Statement check(db, "PRAGMA quick_check(1)");
    const int outcome = check.tryExecuteStep();
    sqlite3_progress_handler(db.getHandle(), 0, nullptr, nullptr);
    if (outcome == SQLITE_INTERRUPT)
        return {};
    if (outcome == SQLITE_ROW && check.getColumn(0).getString() == "ok")
        return {};
    return refuseDamaged(path, Words::noop("is damaged inside"));
}

/// As the log has it, too, which inspect() does not read. What is refused is left as it is: closing the connection does
/// not put the log into the file.
Result<int> requireNoNewerSchema(SQLite::Database& db, const fs::path& path)
{
    const int schema = db.execAndGet("PRAGMA user_version").getInt();
    if (schema <= currentSchema())
        return schema;
    sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return refuseNewer(db, path, schema);
}

Result<void> requireSchema(SQLite::Database& db, const fs::path& path)
{
    TRY_ASSIGN(const int schema, requireNoNewerSchema(db, path));
    if (schema < currentSchema())
        return fail(ErrorCode::damaged,
                    Words::tr("{} was written by an earlier version of Ringside (schema {}; this reads {}).",
                              path.string(), schema, currentSchema()),
                    Words::tr("Open it in the window, or run “ringside-cli collect” with it: both bring it up to date "
                              "and keep a copy of the old one."));
    return {};
}

bool hasLog(const fs::path& path)
{
    std::error_code missing;
    const auto size = fs::file_size(path.string() + "-wal", missing);
    return !missing && size > 0;
}

/// Returns whether a reader cannot make its files beside the database: for want of rights, or on a full disk.
bool isForbidden(const SQLite::Exception& exception)
{
    const int kind = exception.getErrorCode() & 0xFF;
    return kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR || kind == SQLITE_FULL || kind == SQLITE_READONLY;
}

/// The time when the file or its log was changed.
std::int64_t lastWriteNs(const fs::path& path)
{
    return std::max(modifiedNs(path), modifiedNs(path.string() + "-wal"));
}

/// A reader of a WAL database makes small files beside it; where it cannot, and the log is empty, it does
/// without, and `asOfNs` says as of which write.
std::unique_ptr<SQLite::Database> connectReader(const fs::path& path, std::optional<std::int64_t>& asOfNs)
{
    auto plain =
        std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, kBusyLimitMs);
    try {
        plain->execAndGet("PRAGMA schema_version"); // the first look makes the files
        return plain;
    } catch (const SQLite::Exception& exception) {
        if (!isForbidden(exception) || hasLog(path))
            throw;
    }
    asOfNs = lastWriteNs(path);
    return std::make_unique<SQLite::Database>(immutableUri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

} // namespace

Result<Database> Database::openForWriting(const fs::path& named)
{
    const fs::path path = fileItself(named);
    TRY(makePrivateFolder(path.parent_path()));
    TRY(requireLocalDisk(folderOf(path)));
    if (!isAbsentOrEmpty(path))
        TRY(inspect(path)); // before anything, the lock included, is put beside a file that is not ours
    auto parts = std::make_unique<Parts>();
    TRY_ASSIGN(parts->lock, WriterLock::acquire(path));
    if (isAbsentOrEmpty(path))
        TRY(create(path));
    parts->path = path;
    return guarded(path, [&]() -> Result<Database> {
        parts->connection = std::make_unique<SQLite::Database>(
            path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX, kBusyLimitMs);
        SQLite::Database& db = *parts->connection;
        configure(db);
        TRY(requireNoNewerSchema(db, path));
        if (parts->lock->afterUncleanExit())
            TRY(quickCheck(db, path));
        configureWriter(db);
        TRY(migrate(db, path, migrations()));
        stamp(db);
        TRY_ASSIGN(parts->id, readId(db));
        parts->lock->noteOpened();
        return Database(std::move(parts));
    });
}

Result<Database> Database::openForReading(const fs::path& named)
{
    const fs::path path = fileItself(named);
    TRY(inspect(path));
    TRY(requireLocalDisk(folderOf(path)));
    auto parts = std::make_unique<Parts>();
    parts->path = path;
    return guarded(path, [&]() -> Result<Database> {
        parts->connection = connectReader(path, parts->asOfNs);
        configure(*parts->connection);
        TRY(requireSchema(*parts->connection, path));
        TRY_ASSIGN(parts->id, readId(*parts->connection));
        return Database(std::move(parts));
    });
}

Database::Database(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts))
{
    m_parts->statements.emplace(*m_parts->connection);
}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

const fs::path& Database::path() const
{
    return m_parts->path;
}
const StoreId& Database::id() const
{
    return m_parts->id;
}
bool Database::isWritable() const
{
    return m_parts->lock.has_value();
}
void Database::stopWriting()
{
    (void)guarded(path(), [&] { handle().exec("PRAGMA query_only = ON"); });
}
SQLite::Database& Database::handle() const
{
    return *m_parts->connection;
}
KeptStatements& Database::statements() const
{
    return *m_parts->statements;
}

bool Database::isOutdated() const
{
    return m_parts->asOfNs && *m_parts->asOfNs != lastWriteNs(path());
}

std::optional<std::int64_t> Database::withoutWriterSince() const
{
    if (isWritable())
        return std::nullopt;
    const auto writer = writerOf(path());
    if (!writer || *writer) // one that cannot be asked about counts as alive
        return std::nullopt;
    return lastWriteNs(path());
}

bool isFileOf(const fs::path& store, const fs::path& file)
{
    const std::string path = fileItself(store).string();
    return std::ranges::any_of(std::array{"", "-wal", "-shm"}, [&](const char* rest) {
        std::error_code missing;
        return fs::equivalent(path + rest, file, missing);
    });
}

} // namespace ringside::store
