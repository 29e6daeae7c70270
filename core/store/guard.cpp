// SPDX-License-Identifier: MIT
#include "core/store/guard.h"

#include <sqlite3.h>
#include <sys/statvfs.h>

namespace ringside::store {

namespace {

/// The least that SQLite asks for at once: a piece of the index of its log, and a page.
constexpr std::uint64_t kLeastBytes = (32u << 10) + (4u << 10);

bool isDiskFull(const fs::path& path)
{
    struct statvfs info;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return ::statvfs(folder.c_str(), &info) == 0 && std::uint64_t{info.f_bavail} * info.f_frsize < kLeastBytes;
}

/// The kind of failure. On a full disk some calls of SQLite fail without saying why: its log and its index cannot be
/// made or grow.
int kindOf(const fs::path& path, const SQLite::Exception& exception)
{
    const int kind = exception.getErrorCode() & 0xFF;
    const bool unclear = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
    return unclear && isDiskFull(path) ? SQLITE_FULL : kind;
}

/// True if a value has no place in its column: another one would be stored.
bool isOfTheValue(const SQLite::Exception& exception)
{
    const int kind = exception.getErrorCode() & 0xFF, exact = exception.getExtendedErrorCode();
    return kind == SQLITE_TOOBIG || kind == SQLITE_MISMATCH || exact == SQLITE_CONSTRAINT_CHECK ||
           exact == SQLITE_CONSTRAINT_NOTNULL || exact == SQLITE_CONSTRAINT_DATATYPE;
}

} // namespace

Error databaseError(const fs::path& path, const SQLite::Exception& exception)
{
    const std::string said = exception.getErrorStr();
    const auto error = [&](ErrorCode code, std::string_view what, std::string_view hint) {
        //: a path, what is the matter ("is damaged"), what SQLite says
        return Error{code, Words::tr("{} {} ({}).", path.string(), Words::translated(what), said),
                     Words::translated(hint)};
    };
    switch (kindOf(path, exception)) {
    case SQLITE_FULL:
        return error(ErrorCode::noSpace, Words::noop("cannot be written: the disk is full"),
                     Words::noop("Free some space; nothing stored is lost."));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error(ErrorCode::damaged, Words::noop("is damaged or no database of Ringside"),
                     Words::noop("It was left as it is. Open a copy from a backup, or choose another file."));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
        return error(ErrorCode::permission, Words::noop("cannot be opened or written"),
                     Words::noop("Check that you may write to the file and its folder."));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error(ErrorCode::busy, Words::noop("is locked by another program"),
                     Words::noop("Close that program and try again."));
    case SQLITE_IOERR:
    case SQLITE_NOLFS:
        return error(ErrorCode::io, Words::noop("could not be read or written"),
                     Words::noop("Check the disk and try again."));
    default:
        return error(isOfTheValue(exception) ? ErrorCode::usage : ErrorCode::internal,
                     Words::noop("refused a statement"), {});
    }
}

Result<void> requireInPlace(SQLite::Database& db, const fs::path& path)
{
    int hasMoved = 0;
    sqlite3_file_control(db.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved);
    if (hasMoved == 0)
        return {};
    return fail(ErrorCode::io,
                Words::tr("The database is no longer at {}: it was moved, replaced or deleted while Ringside had it "
                          "open. Nothing more is stored.",
                          path.string()),
                Words::tr("Move it back to its place. If that cannot be done, end Ringside and open the database that "
                          "is there: what the sites still have is collected again."));
}

} // namespace ringside::store
