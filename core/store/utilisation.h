// SPDX-License-Identifier: MIT
// Finds how busy an attempt kept its cores and GPUs while it was measured: from its telemetry (STATISTICS.md, 11).
#pragma once

#include <cstdint>

namespace SQLite {
class Database;
}

namespace ringside::store {

/// Writes it into the rows of `summary`, which are there; NULL where no reading inside a rank's measured window shows
/// it, and of a role that reports in the place of ranks. A GPU that is never busy there is one whose driver does not
/// report it. Throws what SQLiteCpp throws.
void writeUtilisation(SQLite::Database& db, std::int64_t attempt);

} // namespace ringside::store
