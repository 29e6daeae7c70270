// SPDX-License-Identifier: MIT
// Limits of a build on a shared machine.
#pragma once

#include "core/base/files.h"

#include <cstdint>

namespace ringside::builder {

/// Memory of one compiler for a file that includes torch.
inline constexpr std::uint64_t kBytesPerJob = 1'500'000'000;
/// The most disk that a build uses while it is under way, above all for its precompiled headers of torch: 519 MB remain
/// afterwards, and its programs need some more. tests/builder/test_real.cpp builds on a disk of this size.
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
