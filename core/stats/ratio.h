// SPDX-License-Identifier: MIT
// Speed-up and efficiency: a ratio of summaries with an interval, never a mean of ratios (STATISTICS.md, 4; rule D4).
#pragma once

#include "core/stats/interval.h"

namespace ringside::stats {

struct Ratio
{
    double value = 0;
    std::optional<Interval> interval; ///< 95 %; absent if either side has fewer than six values
};

/// median(values) / median(base), both non-empty and positive. The interval is the percentile bootstrap: both sides are
/// resampled with replacement, independently. All resamples count, none is drawn, so chance has no part in it.
Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base);

/// The same divided by `factor` (> 0): efficiency is a speed-up over the ratio of ranks.
Ratio dividedBy(const Ratio& ratio, double factor);

} // namespace ringside::stats
