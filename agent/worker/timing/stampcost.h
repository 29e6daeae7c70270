// SPDX-License-Identifier: MIT
// What a stamp costs on this machine, so that the cost of measuring can be stated: stamps counted times this.
#pragma once

namespace ringside {

struct StampCost
{
    double nsPerStamp = 0;   ///< mean over many PhaseClock::enter calls
    double resolutionNs = 0; ///< smallest difference seen between two unequal readings
};

/// Takes a few milliseconds.
StampCost measureStampCost();

} // namespace ringside
