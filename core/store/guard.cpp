// SPDX-License-Identifier: MIT
#include "core/store/guard.h"

#include <sqlite3.h>

namespace ringside::store {

Error databaseError(const fs::path& path, const SQLite::Exception& exception)
{
    const std::string said = exception.getErrorStr();
    const auto error = [&](ErrorCode code, std::string_view what, std::string hint) {
        return Error{code, fmt::format("{} {} ({}).", path.string(), what, said), std::move(hint)};
    };
    switch (exception.getErrorCode() & 0xFF) {
    case SQLITE_FULL:
        return error(ErrorCode::noSpace, "cannot be written: the disk is full",
                     "Free some space; nothing stored is lost.");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error(ErrorCode::damaged, "is damaged or no database of Ringside",
                     "It was left as it is. Open a copy from a backup, or choose another file.");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
        return error(ErrorCode::permission, "cannot be opened or written",
                     "Check that you may write to the file and its folder.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error(ErrorCode::busy, "is locked by another program", "Close that program and try again.");
    case SQLITE_IOERR:
    case SQLITE_NOLFS:
        return error(ErrorCode::io, "could not be read or written", "Check the disk and try again.");
    default:
        return error(ErrorCode::internal, "refused a statement", "");
    }
}

} // namespace ringside::store
