// SPDX-License-Identifier: MIT
// The interval of a median by order statistics: no assumption about the distribution (STATISTICS.md, 3; rule D6).
#pragma once

#include <optional>
#include <vector>

namespace ringside::stats {

inline constexpr double kConfidence = 0.95;

/// The fewest runs that carry a 95 % interval: 2 * (1/2)^5 = 6.25 % > 5 %, 2 * (1/2)^6 = 3.1 %.
inline constexpr int kLeastRuns = 6;

struct Interval
{
    double low = 0, high = 0;
    bool operator==(const Interval&) const = default;
};

/// The order statistics that bound the median, counted from 1.
struct MedianRanks
{
    int low = 0, high = 0;
};

/// The narrowest symmetric pair of ranks (l, n + 1 - l) that covers the median with at least `confidence`, from the
/// binomial distribution B(n, 1/2): P(B <= l - 1) <= (1 - confidence) / 2. nullopt if even (1, n) does not.
std::optional<MedianRanks> medianRanks(int n, double confidence = kConfidence);

/// The values at those ranks; nullopt below six values.
std::optional<Interval> medianInterval(std::vector<double> values);

} // namespace ringside::stats
