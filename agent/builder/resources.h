// SPDX-License-Identifier: MIT
// How much of a shared machine a build may take.
#pragma once

#include "core/base/files.h"

#include <cstdint>

namespace ringside::builder {

/// What one compiler needs for a file that includes torch.
inline constexpr std::uint64_t kBytesPerJob = 1'500'000'000;
/// What a build may take while it is under way, its precompiled headers of torch above all: 519 MB lie there when it is
/// over, and its programs need some beside that. tests/builder/test_real.cpp builds on a disk of this size.
inline constexpr std::uint64_t kBuildBytes = 800'000'000;
/// More than this on a login node annoys its other users.
inline constexpr int kMaxJobs = 8;

/// Compilers at a time: by cores and free memory, at least 1.
int jobsFor(int cores, std::uint64_t freeBytes);

/// Cores that this process may use: affinity, and the limit of its control group.
int usableCores();

/// Fails with noSpace, and what is needed and there, where `folder`, which exists, has less than `bytes` for this user.
Result<void> checkSpace(const fs::path& folder, std::uint64_t bytes, const std::string& what, const std::string& hint);

} // namespace ringside::builder
