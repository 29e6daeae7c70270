// SPDX-License-Identifier: MIT
// Sets two groups of runs against each other by summaries with an interval: the ratio of speed-up and efficiency, never
// a mean of ratios, and the difference of times (STATISTICS.md, 4 and 5; rule D4).
#pragma once

#include "core/stats/interval.h"

namespace ringside::stats {

struct Estimate
{
    double value = 0;
    std::optional<Interval> interval; ///< 95 %; absent if either side has fewer than six values
};
using Ratio = Estimate;
using Difference = Estimate;

/// median(values) / median(base), both non-empty and positive. The interval is the percentile bootstrap: both sides are
/// resampled with replacement, independently. All resamples count, none is drawn, so chance has no part in it.
Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base);

/// median(values) - median(base), both non-empty and of any sign, with the interval that ratioOfMedians() has.
Difference differenceOfMedians(const std::vector<double>& values, const std::vector<double>& base);

/// The same divided by `factor` (> 0): efficiency is a speed-up over the ratio of ranks.
Ratio dividedBy(const Ratio& ratio, double factor);

} // namespace ringside::stats
