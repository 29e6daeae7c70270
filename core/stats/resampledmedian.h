// SPDX-License-Identifier: MIT
// The bootstrap of a median without chance: which medians the resamples of some values have, and how often
// (STATISTICS.md, 4).
#pragma once

#include <vector>

namespace ringside::stats {

struct WeightedValue
{
    double value = 0;
    double weight = 0; ///< share of all resamples
};

/// The medians of all n^n resamples of n values with replacement, ascending; weights add up to 1. Exact, but that
/// weights below 1e-20 are another median's: from the order statistics of n draws (Efron, Annals of Statistics 7, 1979;
/// Maritz & Jarrett, JASA 73, 1978). So the list grows with n, not with its square. `values` not empty.
std::vector<WeightedValue> resampledMedians(std::vector<double> values);

} // namespace ringside::stats
