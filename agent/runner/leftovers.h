// SPDX-License-Identifier: MIT
// Processes that a rank leaves behind on a node that its runner does not see: its guard, their subreaper, ends them
// there.
#pragma once

#include "core/base/files.h"

#include <chrono>
#include <cstddef>

namespace ringside::runner {

/// Marks the processes of one rank, with its log; other ranks of the attempt may be on the same node.
inline constexpr const char* kOneRankVariable = "RINGSIDE_ONE_RANK_OF";

/// After the end of the rank's own process. Blocks for as long as there are others of the rank, and at most for
/// `limit`. Returns how many are left.
std::size_t awaitLeftovers(const fs::path& attempt, int rank, std::chrono::milliseconds limit);
void killLeftovers(const fs::path& attempt, int rank);

} // namespace ringside::runner
