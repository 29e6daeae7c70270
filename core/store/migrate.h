// SPDX-License-Identifier: MIT
// Brings a database to the newest schema: forward only, in one transaction, after a copy.
#pragma once

#include "core/base/files.h"

#include <span>

namespace SQLite {
class Database;
}

namespace ringside::store {

/// Returns where the copy of a database of schema `from` goes before it is migrated: "<store>.schema-<from>".
fs::path migrationCopy(const fs::path& store, int from);

/// Applies the steps that `db` has not seen. An empty database gets no copy. On failure the database is as it was.
/// Blocking; takes as long as copying the file does.
Result<void> migrate(SQLite::Database& db, const fs::path& store, std::span<const char* const> steps);

} // namespace ringside::store
