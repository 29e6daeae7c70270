// SPDX-License-Identifier: MIT
// How probes end.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ringside::test {

/// Without taking libtorch down, which costs a third of what its start does.
[[noreturn]] inline void endProbe(int exitCode)
{
    std::fflush(nullptr);
    std::_Exit(exitCode);
}

} // namespace ringside::test
