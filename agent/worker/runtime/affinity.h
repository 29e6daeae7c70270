// SPDX-License-Identifier: MIT
// Which cores a rank runs on. The worker binds itself: launchers differ, and mpirun's own binding would put all threads
// of a rank on one core.
#pragma once

#include "core/base/error.h"

#include <vector>

namespace ringside {

/// Logical processors this process may use, in the order in which ranks should get them: with hwloc one of each
/// physical core first and their siblings after, without it by number.
std::vector<int> usableCores();

/// Whether hwloc was built in.
bool knowsPhysicalCores();

/// The cores of local rank r of those: [r·n, (r+1)·n), beginning again at the first when there are too few.
std::vector<int> coresOfRank(const std::vector<int>& usable, int localRank, int coresPerRank);

/// Binds the calling thread, and so every thread that it starts later.
Result<void> bindTo(const std::vector<int>& cores);

} // namespace ringside
