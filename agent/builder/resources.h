// SPDX-License-Identifier: MIT
// How much of a shared machine a build may take.
#pragma once

#include <cstdint>

namespace ringside::builder {

/// What one compiler needs for a file that includes torch.
inline constexpr std::uint64_t kBytesPerJob = 1'500'000'000;
/// More than this on a login node annoys its other users.
inline constexpr int kMaxJobs = 8;

/// Compilers at a time: by cores and free memory, at least 1.
int jobsFor(int cores, std::uint64_t freeBytes);

/// Cores that this process may use: affinity, and the limit of its control group.
int usableCores();
/// Memory that is free for this process: of the machine, and below the limit of its control group.
std::uint64_t freeMemory();

} // namespace ringside::builder
