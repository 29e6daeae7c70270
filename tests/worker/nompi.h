// SPDX-License-Identifier: MIT
#pragma once

#include "agent/worker/collectives/communicator.h"

#include <doctest/doctest.h>

namespace ringside::test {

/// Says so, too.
inline bool noMpi()
{
    if (mpiVersion().empty())
        MESSAGE("skipped: built without MPI");
    return mpiVersion().empty();
}

} // namespace ringside::test
