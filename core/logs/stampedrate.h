// SPDX-License-Identifier: MIT
// Compares the rates that a lane's records report with the stamps of their lines. Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"

#include <optional>

namespace ringside::logs {

/// Refuses records that report less time than passed by their stamps, where that was as long as for the records whose
/// time agrees with their stamps: a pause would have made it longer. Nothing where few agree.
void refuseAgainstStamps(LogLane& lane, const LogSettings& settings, int warmupRecords, std::vector<Finding>& findings);

/// Returns a finding about the first line of those records which by their stamps took longer than they report, if most
/// did, or about the first that reports more time than passed, if most were refused for that. Nothing where that cannot
/// be known: stamps or iterations are missing, or a batch.
std::optional<Finding> stampContradiction(const LogLane& lane, const LogSettings& settings, int warmupRecords);

} // namespace ringside::logs
