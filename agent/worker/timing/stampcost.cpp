// SPDX-License-Identifier: MIT
#include "agent/worker/timing/stampcost.h"

#include "agent/worker/timing/phaseclock.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace ringside {

namespace {

constexpr int kStamps = 100'000;

double nsPerStamp()
{
    PhaseClock clock;
    clock.start();
    const auto begin = monotonicNs();
    for (int i = 0; i < kStamps; ++i)
        clock.enter(kPhases[static_cast<std::size_t>(i) % kPhaseCount]);
    return static_cast<double>(monotonicNs() - begin) / kStamps;
}

double resolutionNs()
{
    auto smallest = std::numeric_limits<std::int64_t>::max();
    auto last = monotonicNs();
    for (int i = 0; i < kStamps; ++i) {
        const auto now = monotonicNs();
        if (now != last)
            smallest = std::min(smallest, now - last);
        last = now;
    }
    return static_cast<double>(smallest);
}

} // namespace

StampCost measureStampCost()
{
    return {nsPerStamp(), resolutionNs()};
}

std::string describeMeasuring(double stampsPerIteration, double nsPerStamp, std::optional<double> nsPerEvent)
{
    const double us = stampsPerIteration * (nsPerStamp + nsPerEvent.value_or(0)) / 1000;
    const std::string stamps =
        fmt::format("measuring: {:.0f} stamps an iteration at {:.0f} ns each", stampsPerIteration, nsPerStamp);
    return nsPerEvent ? fmt::format("{}, each with an event of the GPU at {:.0f} ns, {:.1f} µs of the compute thread",
                                    stamps, *nsPerEvent, us)
                      : fmt::format("{}, {:.1f} µs", stamps, us);
}

} // namespace ringside
