// SPDX-License-Identifier: MIT
// Reasons of flags in the store.
#pragma once

#include "core/store/database.h"
#include "core/store/flagreason.h"

#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace ringside::store {

/// In the order in which flags are listed: disturbed first.
Result<std::vector<FlagReason>> flagReasons(const Database& db, const RunId& run, int attempt);

/// For this folder: in place of those that are stored. Throws what SQLiteCpp throws.
void writeReasons(SQLite::Database& db, std::int64_t attempt, const std::vector<FlagReason>& reasons);
/// Each flag once, as JSON.
std::string flagsJson(const std::vector<FlagReason>& reasons);

} // namespace ringside::store
