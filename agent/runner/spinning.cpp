// SPDX-License-Identifier: MIT
#include "agent/runner/spinning.h"

#include "core/base/environment.h"

#include <cstdlib>

namespace ringside::runner {

namespace {

/// For libgomp, which is part of libtorch: looks at the barrier with a pause of the processor between two; about 1 ms.
/// That is longer than what one thread does alone between two loops, so that it costs nothing where a rank is alone
/// (1,000 cost 5 %, 5,000 1 %), and short beside libgomp's own 15 ms. Beside other programs a rank bounds it further
/// (worker/runtime/waitpolicy.h); until it has seen them, and on servers, this one holds.
constexpr const char* kLooks = "20000";
/// For Intel's and LLVM's runtimes, which others build libtorch with: milliseconds; their default is 200.
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
