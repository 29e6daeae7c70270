// SPDX-License-Identifier: MIT
// Timers.
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/timing/stampcost.h"

#include <fmt/format.h>

namespace ringside {

namespace {

CheckResult clockResolution()
{
    const double resolution = measureStampCost().resolutionNs;
    return passedIf(resolution <= 1000, fmt::format("{:.0f} ns, at most 1000", resolution));
}

/// 0.5 % of an iteration of 10 ms over the 8 stamps of an iteration.
CheckResult stampCost()
{
    const double cost = measureStampCost().nsPerStamp;
    return passedIf(cost <= 6000, fmt::format("{:.0f} ns, at most 6000", cost));
}

} // namespace

std::vector<Check> timerChecks()
{
    return {{"resolution of the monotonic clock", clockResolution}, {"cost of a stamp", stampCost}};
}

} // namespace ringside
