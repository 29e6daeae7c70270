// SPDX-License-Identifier: MIT
#include "core/store/database.h"

#include "core/base/clock.h"
#include "core/store/filesystem.h"
#include "core/store/guard.h"
#include "core/store/migrate.h"
#include "core/store/schema.h"

#include <algorithm>
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
    StoreId id;
};

namespace {

/// A reader of a busy database or a writer behind a checkpoint waits at most this long.
constexpr int kBusyLimitMs = 5000;
/// quick_check after an unclean exit reads the whole file; a large one is trusted after this long.
constexpr std::int64_t kCheckLimitNs = 5'000'000'000;
/// The fixed part at the head of every SQLite file (sqlite.org/fileformat, 1.3).
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

struct FileHeader
{
    std::uint32_t pageSize = 0, pages = 0, schema = 0, applicationId = 0;
};

std::uint32_t bigEndian(std::string_view bytes, std::size_t at, std::size_t length)
{
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(at, length))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

tl::unexpected<Error> damaged(const fs::path& path, std::string_view why)
{
    return fail(ErrorCode::damaged, fmt::format("{} {}. It was not touched.", path.string(), why),
                "Choose another file, or open a copy from a backup.");
}

tl::unexpected<Error> newer(const fs::path& path, int schema, const std::string& writtenBy)
{
    return fail(
        ErrorCode::newerVersion,
        fmt::format(
            "This database was written by Ringside {} (schema {}; this is {}, schema {}). It was not touched: {}.",
            writtenBy, schema, RINGSIDE_VERSION, currentSchema(), path.string()),
        "Open another one, or use the newer version.");
}

/// Reads the head with plain file calls: SQLite itself would make files beside a database even to look at it.
Result<std::string> readHead(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError("cannot open", path, errno));
    std::string head(kHeaderBytes, '\0');
    const ssize_t n = ::read(fd, head.data(), head.size());
    const int reason = errno;
    ::close(fd);
    if (n < 0)
        return tl::unexpected(systemError("cannot read", path, reason));
    head.resize(static_cast<std::size_t>(n));
    return head;
}

FileHeader parseHead(std::string_view head)
{
    FileHeader header{bigEndian(head, 16, 2), bigEndian(head, 28, 4), bigEndian(head, 60, 4), bigEndian(head, 68, 4)};
    if (header.pageSize == 1)
        header.pageSize = 65536;
    return header;
}

bool isEmptyFile(const fs::path& path)
{
    std::error_code missing;
    const auto size = fs::file_size(path, missing);
    return !missing && size == 0;
}

/// Only called for a file of a newer schema: the version that wrote it, for the message.
std::string writerVersion(const fs::path& path)
{
    try {
        SQLite::Database db("file:" + path.string() + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
        return db.execAndGet("SELECT value FROM meta WHERE name = 'written_by'").getString();
    } catch (const SQLite::Exception&) {
        return "of a later version"; // the newer schema need not have this row
    }
}

bool isTruncated(const fs::path& path, const FileHeader& header)
{
    std::error_code ignored;
    const auto wal = fs::file_size(path.string() + "-wal", ignored);
    if (!ignored && wal > 0)
        return false; // pages may still stand in the log
    return fs::file_size(path) < std::uint64_t{header.pageSize} * header.pages;
}

/// Refuses what is no store of this or an earlier version, without touching it.
Result<void> inspect(const fs::path& path)
{
    TRY_ASSIGN(const std::string head, readHead(path));
    if (head.size() < kHeaderBytes || !head.starts_with(kMagic))
        return damaged(path, "is not a database");
    const FileHeader header = parseHead(head);
    if (header.applicationId != static_cast<std::uint32_t>(kApplicationId))
        return damaged(path, "is a database of another program");
    if (header.schema > static_cast<std::uint32_t>(currentSchema()))
        return newer(path, static_cast<int>(header.schema), writerVersion(path));
    if (isTruncated(path, header))
        return damaged(path, "is cut off: its end is missing");
    return {};
}

fs::path folderOf(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Mode 0600 from the first moment. An existing file is left alone.
Result<void> createFile(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return tl::unexpected(systemError("cannot open the database", path, errno));
    ::close(fd);
    return {};
}

void configure(SQLite::Database& db)
{
    db.setBusyTimeout(kBusyLimitMs); // first: even the switch to WAL can find the file busy
    db.exec("PRAGMA foreign_keys = ON");
    db.exec("PRAGMA temp_store = MEMORY");
}

/// WAL and its companions; NORMAL keeps the file whole, and what must outlive a power cut is written with FULL.
void configureWriter(SQLite::Database& db)
{
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA journal_size_limit = 67108864");
    db.exec("PRAGMA cache_size = -32768");
}

void stamp(SQLite::Database& db)
{
    SQLite::Statement insert(db, "INSERT OR IGNORE INTO meta (name, value) VALUES ('store', ?), ('created', ?)");
    insert.bind(1, StoreId::random().str());
    insert.bind(2, std::to_string(wallNs()));
    insert.exec();
    SQLite::Statement version(db, "INSERT OR REPLACE INTO meta (name, value) VALUES ('written_by', ?)");
    version.bind(1, RINGSIDE_VERSION);
    version.exec();
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
    return damaged(path, "is damaged inside");
}

Result<void> requireSchema(SQLite::Database& db, const fs::path& path)
{
    const int schema = db.execAndGet("PRAGMA user_version").getInt();
    if (schema > currentSchema())
        return newer(path, schema, writerVersion(path));
    if (schema < currentSchema())
        return fail(ErrorCode::unavailable,
                    fmt::format("{} has the older schema {} (this is {}).", path.string(), schema, currentSchema()),
                    "Open it once for writing to bring it up to date.");
    return {};
}

/// A reader of a WAL database makes a small file beside it; where it may not, and nobody writes, it does without.
std::unique_ptr<SQLite::Database> connectReader(const fs::path& path)
{
    std::error_code missing;
    const bool plain = ::access(folderOf(path).c_str(), W_OK) == 0 || fs::exists(path.string() + "-wal", missing);
    if (plain)
        return std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY, kBusyLimitMs);
    return std::make_unique<SQLite::Database>("file:" + path.string() + "?immutable=1",
                                              SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

std::int64_t modifiedNs(const fs::path& path)
{
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
        return 0;
    return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

} // namespace

Result<Database> Database::openForWriting(const fs::path& path)
{
    TRY(makePrivateFolder(path.parent_path()));
    TRY(requireLocalDisk(folderOf(path)));
    if (std::error_code ignored; fs::exists(path, ignored) && !isEmptyFile(path))
        TRY(inspect(path));
    auto parts = std::make_unique<Parts>();
    TRY_ASSIGN(parts->lock, WriterLock::acquire(path));
    TRY(createFile(path));
    parts->path = path;
    return guarded(path, [&]() -> Result<Database> {
        parts->connection = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE, kBusyLimitMs);
        SQLite::Database& db = *parts->connection;
        configure(db);
        if (isEmptyFile(path))
            db.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
        else if (parts->lock->afterUncleanExit())
            TRY(quickCheck(db, path));
        configureWriter(db);
        TRY(migrate(db, path, migrations()));
        stamp(db);
        TRY_ASSIGN(parts->id, readId(db));
        return Database(std::move(parts));
    });
}

Result<Database> Database::openForReading(const fs::path& path)
{
    TRY(inspect(path));
    TRY(requireLocalDisk(folderOf(path)));
    auto parts = std::make_unique<Parts>();
    parts->path = path;
    return guarded(path, [&]() -> Result<Database> {
        parts->connection = connectReader(path);
        configure(*parts->connection);
        TRY(requireSchema(*parts->connection, path));
        TRY_ASSIGN(parts->id, readId(*parts->connection));
        return Database(std::move(parts));
    });
}

Database::Database(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts))
{
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
SQLite::Database& Database::handle() const
{
    return *m_parts->connection;
}

std::optional<std::int64_t> Database::withoutWriterSince() const
{
    if (isWritable())
        return std::nullopt;
    const auto writer = writerOf(path());
    if (!writer || *writer) // one that cannot be asked about is taken to live
        return std::nullopt;
    return std::max(modifiedNs(path()), modifiedNs(path().string() + "-wal"));
}

} // namespace ringside::store
