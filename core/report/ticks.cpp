// SPDX-License-Identifier: MIT
#include "core/report/ticks.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

// So that 0.3 counts as a multiple of 0.1.
constexpr double kSlack = 1e-9;

} // namespace

double niceStep(double span, int most)
{
    const double least = span / most;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= least * (1 - kSlack))
            return step * power;
    return 10 * power;
}

int stepDecimals(double step)
{
    return std::max(0, static_cast<int>(-std::floor(std::log10(step) + kSlack)));
}

Ticks niceTicks(double low, double high, int most)
{
    if (!(high > low))
        high = low + 1;
    Ticks ticks;
    // Rounding both ends outwards can add two intervals: widen the step until they fit.
    for (int allowed = most; allowed > 0; --allowed) {
        ticks.step = niceStep(high - low, allowed);
        const auto first = std::llround(std::floor(low / ticks.step + kSlack));
        const auto last = std::llround(std::ceil(high / ticks.step - kSlack));
        ticks.values.clear();
        for (auto i = first; i <= last; ++i)
            ticks.values.push_back(static_cast<double>(i) * ticks.step);
        if (last - first <= most)
            break;
    }
    ticks.decimals = stepDecimals(ticks.step);
    return ticks;
}

} // namespace ringside::report
