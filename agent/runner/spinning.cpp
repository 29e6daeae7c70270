// SPDX-License-Identifier: MIT
#include "agent/runner/spinning.h"

#include "core/base/environment.h"

#include <cstdlib>

namespace ringside::runner {

namespace {

/// Of libgomp, which libtorch brings along: looks at the barrier with a pause of the processor between two; about 0.2 ms.
/// That is longer than most of what one thread does alone between two loops, and short beside a turn of the kernel's
/// scheduler (3 ms). Measured by tests/bench/beside_load.py.
constexpr const char* kLooks = "5000";
/// Of Intel's and LLVM's runtimes, which others build libtorch with: milliseconds; theirs is 200.
constexpr const char* kBlockTime = "1";

} // namespace

void boundSpinning()
{
    if (environment("OMP_WAIT_POLICY"))
        return;
    setenv("GOMP_SPINCOUNT", kLooks, 0);
    setenv("KMP_BLOCKTIME", kBlockTime, 0);
}

} // namespace ringside::runner
