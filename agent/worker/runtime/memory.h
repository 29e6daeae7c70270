// SPDX-License-Identifier: MIT
// Memory of the process: how malloc treats what is given back.
#pragma once

namespace ringside {

/// Keeps freed memory in the process. glibc gives large blocks back to the kernel at every free, so each iteration
/// would fault in (and the kernel zero) the same pages again. Call before the first large allocation.
void keepFreedMemory();

} // namespace ringside
