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

/// As noMpi; of other libraries the worker does not know by which networks they go.
inline bool noOpenMpi()
{
    const bool other = !mpiVersion().starts_with("Open MPI");
    if (other)
        MESSAGE("skipped: built without Open MPI");
    return other;
}

} // namespace ringside::test
