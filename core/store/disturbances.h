// SPDX-License-Identifier: MIT
// Finds what disturbed an attempt while it was measured, or slowed its GPUs down: from its telemetry (STATISTICS.md,
// 8).
#pragma once

#include "core/store/flagreasons.h"

#include <cstdint>
#include <vector>

namespace ringside::store {

/// Flags disturbed and throttled; only readings inside a rank's measured window count, all of an attempt that trains
/// nothing (a calibration). Throws what SQLiteCpp throws.
void addDisturbances(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt);

/// Flag unobserved: a rank's window without a reading of its host, or of the GPU that it uses; or with processes
/// of unknown owners on that. Throws what SQLiteCpp throws.
void addUnobserved(std::vector<FlagReason>& reasons, SQLite::Database& db, std::int64_t attempt);

} // namespace ringside::store
