// SPDX-License-Identifier: MIT
// Summaries of a handful of numbers. All functions take a non-empty list of finite values, in any order.
#pragma once

#include <vector>

namespace ringside::stats {

/// The p-quantile, 0 <= p <= 1, by linear interpolation between order statistics at (n - 1) p: the lowest value at 0,
/// the highest at 1 (type 7 of Hyndman & Fan, The American Statistician 50, 1996; the default of R and NumPy).
double quantile(std::vector<double> values, double p);

/// The 0.5-quantile: the middle value, or the mean of the two middle ones.
double median(std::vector<double> values);

double mean(const std::vector<double>& values);

} // namespace ringside::stats
