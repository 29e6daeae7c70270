// SPDX-License-Identifier: MIT
// The place of this process as its launcher says it.
#pragma once

#include <optional>

namespace ringside::runner {

/// nullopt where there is none, or it says nothing.
std::optional<int> rankOfLauncher();
/// Its number among the processes on this node. Without MPI the agent itself says it.
int localRank();

} // namespace ringside::runner
