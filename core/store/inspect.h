// SPDX-License-Identifier: MIT
// Inside core/store: looks at a file before it is opened as a store, so that what is refused stays untouched.
//
// No file of a database (itself, -wal, -shm) is ever opened by plain calls in a program that may have it open through
// SQLite, by whichever thread: closing it would drop the locks by which other programs see that the log is in use.
#pragma once

#include "core/base/files.h"

namespace SQLite {
class Database;
}

namespace ringside::store {

/// Fails with damaged for what is not a whole store, with newerVersion for one of a later schema. Reads only its head,
/// and leaves the locks that this process has on it as they are.
Result<void> inspect(const fs::path& path);

/// The file for SQLite as it is: no lock is taken, its log is not read, no files are made beside it.
std::string immutableUri(const fs::path& path);

tl::unexpected<Error> refuseDamaged(const fs::path& path, std::string_view why);
/// UX message 13. Reads from the database which version wrote it.
tl::unexpected<Error> refuseNewer(SQLite::Database& db, const fs::path& path, int schema);

} // namespace ringside::store
