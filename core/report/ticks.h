// SPDX-License-Identifier: MIT
// Ticks on round numbers.
#pragma once

#include <string>
#include <vector>

namespace ringside::report {

struct Ticks
{
    double step = 1;
    std::vector<double> values; ///< multiples of `step`; the first <= low, the last >= high
    int decimals = 0;           ///< that distinguish them

    double low() const { return values.front(); }
    double high() const { return values.back(); }
};

/// The smallest of 1, 2 or 5 times a power of ten that divides `span` (> 0) into at most `most` intervals.
double niceStep(double span, int most);

/// Decimals that distinguish multiples of `step`.
int stepDecimals(double step);

/// Steps of 1, 2 or 5 times a power of ten, the smallest with at most `most` intervals between low and high.
Ticks niceTicks(double low, double high, int most = 5);

} // namespace ringside::report
