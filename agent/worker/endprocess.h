// SPDX-License-Identifier: MIT
// Ends a process that has used libtorch.
#pragma once

#include "agent/worker/keeploaded.h"

#include <cstdio>
#include <cstdlib>

namespace ringside {

/// Ends the process without shutting libtorch down, which lasts a third as long as its start and frees only what the
/// end of a process frees in any case. Sanitizers report their findings only at a normal exit.
[[noreturn]] inline void endProcess(int exitCode)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::exit(exitCode);
#else
    std::fflush(nullptr);
    std::_Exit(exitCode);
#endif
}

} // namespace ringside
