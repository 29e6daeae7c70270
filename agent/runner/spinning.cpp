// SPDX-License-Identifier: MIT
#include "agent/runner/spinning.h"

#include "core/base/environment.h"

#include <cstdlib>

namespace ringside::runner {

namespace {

/// Of libgomp, which libtorch brings along: looks at the barrier with a pause of the processor between two; about 0.2
/// ms. That is longer than most of what one thread does alone between two loops, and short beside a turn of the
/// kernel's scheduler (3 ms). With 5000 a rank of two threads is left 0.46 and 0.285 of its rate beside one and two
/// busy processes, with 1000 0.505 and 0.30, with 100 no more; but alone 1000 costs 5 % of the rate and 5000 1 %
/// (tests/bench/beside_load.py, ResNet-50 on two cores).
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
