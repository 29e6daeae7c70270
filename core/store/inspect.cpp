// SPDX-License-Identifier: MIT
#include "core/store/inspect.h"

#include "core/base/words.h"
#include "core/store/guard.h"
#include "core/store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cerrno>
#include <memory>
#include <sqlite3.h>
#include <sys/stat.h>

namespace ringside::store {

namespace {

/// The fixed part at the head of every SQLite file (sqlite.org/fileformat, 1.3).
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

struct FileHeader
{
    std::uint32_t pageSize = 0, pages = 0, schema = 0, applicationId = 0;
};

struct RawHead
{
    std::string bytes;
    std::uint64_t fileSize = 0;
};

std::uint32_t bigEndian(std::string_view bytes, std::size_t at, std::size_t length)
{
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(at, length))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

struct Close
{
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
using Connection = std::unique_ptr<sqlite3, Close>;

/// Anything else would be waited for (a FIFO) or cannot be a database.
Result<void> requireFile(const fs::path& path)
{
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
        return tl::unexpected(systemError(Words::noop("cannot open"), path, errno));
    if (S_ISDIR(info.st_mode))
        return tl::unexpected(systemError(Words::noop("cannot read"), path, EISDIR));
    if (!S_ISREG(info.st_mode))
        return refuseDamaged(path, Words::noop("is not a database"));
    return {};
}

/// A connection that has opened the file and read only its head: it took no lock and made no files beside it.
Result<Connection> connect(const fs::path& path)
{
    sqlite3* opened = nullptr;
    const int outcome = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    Connection connection(opened);
    if (outcome != SQLITE_OK) {
        const int reason = opened ? sqlite3_system_errno(opened) : ENOMEM;
        return tl::unexpected(systemError(Words::noop("cannot open"), path, reason > 0 ? reason : EIO));
    }
    return connection;
}

/// Reads the head by SQLite's own file, never by a plain one: close() releases every lock that this process holds on a
/// file (fcntl(2)), and another program would then remove the log of those that write here.
Result<RawHead> readHead(const fs::path& path)
{
    TRY(requireFile(path));
    TRY_ASSIGN(const Connection connection, connect(path));
    sqlite3_file* file = nullptr;
    sqlite3_file_control(connection.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    RawHead head;
    sqlite3_int64 size = 0;
    head.bytes.resize(kHeaderBytes);
    int outcome = file && file->pMethods ? file->pMethods->xFileSize(file, &size) : SQLITE_CANTOPEN;
    if (outcome == SQLITE_OK) // fills up with zeros what the file lacks
        outcome = file->pMethods->xRead(file, head.bytes.data(), static_cast<int>(kHeaderBytes), 0);
    if (outcome != SQLITE_OK && outcome != SQLITE_IOERR_SHORT_READ)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, EIO));
    head.fileSize = static_cast<std::uint64_t>(size);
    return head;
}

FileHeader parseHead(std::string_view head)
{
    FileHeader header{bigEndian(head, 16, 2), bigEndian(head, 28, 4), bigEndian(head, 60, 4), bigEndian(head, 68, 4)};
    if (header.pageSize == 1)
        header.pageSize = 65536;
    return header;
}

/// Only called for a file of a newer schema: who wrote it, for the message.
std::string writer(SQLite::Database& db)
{
    const std::string unnamed = Words::tr("a later version of Ringside");
    try {
        const std::string version = db.execAndGet("SELECT value FROM meta WHERE name = 'written_by'").getString();
        return version == RINGSIDE_VERSION ? unnamed
                                           : "Ringside " + version; // between releases the number stands still
    } catch (const SQLite::Exception&) {
        return unnamed; // the newer schema need not have this row
    }
}

bool isTruncated(const fs::path& path, const RawHead& head)
{
    const FileHeader header = parseHead(head.bytes);
    std::error_code ignored;
    const auto wal = fs::file_size(path.string() + "-wal", ignored);
    if (!ignored && wal > 0)
        return false; // pages may still be in the log
    return head.fileSize < std::uint64_t{header.pageSize} * header.pages;
}

} // namespace

std::string immutableUri(const fs::path& path)
{
    std::string uri = "file:";
    for (const char c : path.string())
        uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
    return uri + "?immutable=1";
}

tl::unexpected<Error> refuseDamaged(const fs::path& path, std::string_view why)
{
    return fail(ErrorCode::damaged, Words::tr("{} {}. It was not touched.", path.string(), Words::translated(why)),
                Words::tr("Choose another file, or open a copy from a backup."));
}

tl::unexpected<Error> refuseNewer(SQLite::Database& db, const fs::path& path, int schema)
{
    return fail(ErrorCode::newerVersion,
                Words::tr("This database was written by {} (schema {}; this is {}, schema {}). It was not touched: {}.",
                          writer(db), schema, RINGSIDE_VERSION, currentSchema(), path.string()),
                Words::tr("Open another one, or use the newer version."));
}

/// Refuses what is no store of this or an earlier version, without touching it. A newer schema may stand in the log
/// alone: that is for the connection to find.
Result<void> inspect(const fs::path& path)
{
    TRY_ASSIGN(const RawHead head, readHead(path));
    if (head.fileSize < kHeaderBytes || !head.bytes.starts_with(kMagic))
        return refuseDamaged(path, Words::noop("is not a database"));
    const FileHeader header = parseHead(head.bytes);
    if (header.applicationId != static_cast<std::uint32_t>(kApplicationId))
        return refuseDamaged(path, Words::noop("is a database of another program"));
    if (header.schema > static_cast<std::uint32_t>(currentSchema()))
        return guarded(path, [&]() -> Result<void> {
            SQLite::Database db(immutableUri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
            return refuseNewer(db, path, static_cast<int>(header.schema));
        });
    if (!isTruncated(path, head))
        return {};
    TRY_ASSIGN(const RawHead again, readHead(path)); // a log that was emptied just now looks like that for an instant
    if (isTruncated(path, again))
        return refuseDamaged(path, Words::noop("is cut off: its end is missing"));
    return {};
}

} // namespace ringside::store
