// SPDX-License-Identifier: MIT
// What disturbed an attempt, or slowed its GPUs down: from its telemetry and its canaries (STATISTICS.md, 8).
#pragma once

#include "core/store/database.h"

#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace ringside::store {

/// Sentences in the user's language: one for each host whose cores others used, one for each rank whose GPU they used,
/// one for each canary that was off its calibration. Empty: the attempt was not disturbed. Throws what SQLiteCpp
/// throws.
std::vector<std::string> disturbances(SQLite::Database& db, std::int64_t attempt);
Result<std::vector<std::string>> disturbances(const Database& db, const RunId& run, int attempt);

/// Whether a GPU of the attempt was, as of stats::isThrottled(). Throws what SQLiteCpp throws.
bool isThrottled(SQLite::Database& db, std::int64_t attempt);

} // namespace ringside::store
