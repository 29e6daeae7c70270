// SPDX-License-Identifier: MIT
// Speed-up and efficiency: a ratio of summaries with an interval, never a mean of ratios (STATISTICS.md, 4; rule D4).
#pragma once

#include "core/stats/interval.h"

#include <cstdint>

namespace ringside::stats {

/// Resamples of the bootstrap: the ends of a 95 % interval then move by less than a hundredth of its width with the
/// seed.
inline constexpr int kBootstrapResamples = 10'000;
inline constexpr std::uint64_t kBootstrapSeed = 20'170'601;

struct Ratio
{
    double value = 0;
    std::optional<Interval> interval; ///< 95 %; absent if either side has fewer than six values
};

/// median(values) / median(base), both non-empty and positive. The interval is the percentile bootstrap: both sides are
/// resampled with replacement, independently. The same input and seed give the same interval on every machine.
Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base,
                     std::uint64_t seed = kBootstrapSeed);

/// The same divided by `factor` (> 0): efficiency is a speed-up over the ratio of ranks.
Ratio dividedBy(const Ratio& ratio, double factor);

} // namespace ringside::stats
