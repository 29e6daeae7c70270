// SPDX-License-Identifier: MIT
#include "core/store/inspect.h"

#include "core/base/words.h"
#include "core/store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace ringside::store {

namespace {

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

/// Reads the head with plain file calls: SQLite itself would make files beside a database even to look at it.
Result<std::string> readHead(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError(Words::noop("cannot open"), path, errno));
    std::string head(kHeaderBytes, '\0');
    const ssize_t n = ::read(fd, head.data(), head.size());
    const int reason = errno;
    ::close(fd);
    if (n < 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, reason));
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

/// Only called for a file of a newer schema: who wrote it, for the message.
std::string writer(const fs::path& path)
{
    const std::string unnamed = Words::tr("a later version of Ringside");
    try {
        SQLite::Database db("file:" + path.string() + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
        const std::string version = db.execAndGet("SELECT value FROM meta WHERE name = 'written_by'").getString();
        return version == RINGSIDE_VERSION ? unnamed
                                           : "Ringside " + version; // between releases the number stands still
    } catch (const SQLite::Exception&) {
        return unnamed; // the newer schema need not have this row
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

} // namespace

tl::unexpected<Error> refuseDamaged(const fs::path& path, std::string_view why)
{
    return fail(ErrorCode::damaged, Words::tr("{} {}. It was not touched.", path.string(), Words::translated(why)),
                Words::tr("Choose another file, or open a copy from a backup."));
}

tl::unexpected<Error> refuseNewer(const fs::path& path, int schema)
{
    return fail(ErrorCode::newerVersion,
                Words::tr("This database was written by {} (schema {}; this is {}, schema {}). It was not touched: {}.",
                          writer(path), schema, RINGSIDE_VERSION, currentSchema(), path.string()),
                Words::tr("Open another one, or use the newer version."));
}

/// Refuses what is no store of this or an earlier version, without touching it.
Result<void> inspect(const fs::path& path)
{
    TRY_ASSIGN(const std::string head, readHead(path));
    if (head.size() < kHeaderBytes || !head.starts_with(kMagic))
        return refuseDamaged(path, Words::noop("is not a database"));
    const FileHeader header = parseHead(head);
    if (header.applicationId != static_cast<std::uint32_t>(kApplicationId))
        return refuseDamaged(path, Words::noop("is a database of another program"));
    if (header.schema > static_cast<std::uint32_t>(currentSchema()))
        return refuseNewer(path, static_cast<int>(header.schema));
    if (isTruncated(path, header))
        return refuseDamaged(path, Words::noop("is cut off: its end is missing"));
    return {};
}

} // namespace ringside::store
