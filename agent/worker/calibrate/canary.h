// SPDX-License-Identifier: MIT
// A second's look at disk and links before the first iteration of an attempt and after its last (DESIGN, section 6).
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "core/base/files.h"
#include "core/protocol/calibration.h"

namespace ringside {

/// The folder that a canary reads, and whether this rank reads it: one rank of each node does.
struct CanaryPlace
{
    fs::path folder; ///< the site's data folder; empty: nothing is read
    bool reads = false;
};

/// A disk that cannot be read, and a file that cannot be written there, are no failure: the canary then covers the
/// links alone. Collective; about a second.
Result<Canary> measureCanary(Communicator& communicator, const CanaryPlace& place, bool after);

/// False where the environment says RINGSIDE_CANARY=none, as tests do.
bool canaryIsWanted();

} // namespace ringside
