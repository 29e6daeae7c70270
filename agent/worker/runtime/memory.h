// SPDX-License-Identifier: MIT
// Memory of the process: what is free before the start, and how malloc treats what is given back.
#pragma once

#include <cstdint>

namespace ringside {

/// Keeps freed memory in the process. glibc gives large blocks back to the kernel at every free, so each iteration
/// would fault in (and the kernel zero) the same pages again. Call before the first large allocation.
void keepFreedMemory();

/// What this process may still take: MemAvailable of the host, or what its control group leaves, whichever is less.
std::uint64_t availableMemoryBytes();

} // namespace ringside
