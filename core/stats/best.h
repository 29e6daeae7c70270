// SPDX-License-Identifier: MIT
// "slower, p = 0.002": every group against the fastest of them, corrected for the choice of the fastest and for the
// number of groups (STATISTICS.md, 6; rule D7).
#pragma once

#include "core/stats/interval.h"

#include <cstddef>
#include <vector>

namespace ringside::stats {

/// Chance of a false "slower" anywhere among the groups, if they are all alike.
inline constexpr double kSignificance = 0.05;

/// Ways in which the runs are dealt anew; the same input yields the same p, and none is below 1 / (ways + 1).
inline constexpr int kLeastPermutations = 999;
inline constexpr int kMostPermutations = 20'000;

/// As many as leave ten of them beyond this level, between the bounds above.
int permutationsFor(double significance);

/// Returns whether so many permutations can show anything at this level.
bool canBeShown(double significance);

struct AgainstBest
{
    double ratio = 1;                 ///< median / median of the fastest: at most 1
    std::optional<Interval> interval; ///< of that ratio, at once for all groups; it holds 1 unless p <= `significance`
    double p = 1;                     ///< of "as fast as the fastest"
};

struct BestOf
{
    std::size_t best = 0; ///< the highest median; of equal ones the first
    std::vector<AgainstBest> groups;
};

/// Hsu's multiple comparisons with the best as a step-down permutation test of the greatest studentised difference.
/// At least one group; each has kLeastRuns positive values or more, in any order. The order of groups does not count.
BestOf compareWithBest(const std::vector<std::vector<double>>& groups, double significance = kSignificance,
                       int permutations = kLeastPermutations);

} // namespace ringside::stats
