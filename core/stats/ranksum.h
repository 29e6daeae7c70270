// SPDX-License-Identifier: MIT
// "slower, p = 0.002": the Wilcoxon rank-sum (Mann-Whitney) test (STATISTICS.md, 6; rule D7).
#pragma once

#include <vector>

namespace ringside::stats {

/// Up to this many values on both sides together the distribution of the rank sum is counted out exactly.
inline constexpr int kExactRankSum = 60;

/// Two-sided p of "both lists come from one distribution". Exact over all ways to deal the joined (mid-)ranks to the
/// two sides, ties included; above `kExactRankSum` values the normal approximation with corrections for ties and
/// continuity (Hollander & Wolfe, Nonparametric Statistical Methods, 4.1). 1 if a side is empty or all values are
/// equal.
double rankSumP(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ringside::stats
