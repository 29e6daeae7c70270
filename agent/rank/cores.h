// SPDX-License-Identifier: MIT
// The cores of a rank. Ranks are bound by Ringside: launchers differ, and mpirun's own binding would put all threads of
// a rank on one core. The machine's cores are read from /sys.
#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

/// Logical processors in the order in which ranks should get them: one of each physical core first and their siblings
/// after.
std::vector<int> physicalCoresFirst(std::vector<int> cores, const std::filesystem::path& sys = "/sys");

/// Those that this process may use, in that order.
std::vector<int> usableCores();

/// The cores of local rank r of those: [r·n, (r+1)·n), beginning again at the first when there are too few.
std::vector<int> coresOfRank(const std::vector<int>& usable, int localRank, int coresPerRank);

/// Binds the calling thread, and so every thread or process that it starts later.
Result<void> bindTo(const std::vector<int>& cores);

/// Cores that this thread may run on, as a list: "0", "0-3,8".
std::string affinityList();

/// Returns where these logical processors are: "package 0, NUMA node 1", "packages 0-1, NUMA nodes 0-3". Empty where
/// the system does not say.
std::string placeOf(const std::vector<int>& cores, const std::filesystem::path& sys = "/sys");

} // namespace ringside
