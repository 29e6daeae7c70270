// SPDX-License-Identifier: MIT
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside::stats {

double quantile(std::vector<double> values, double p)
{
    const double position = static_cast<double>(values.size() - 1) * p;
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(position);
    std::nth_element(values.begin(), below, values.end());
    const double share = position - std::floor(position);
    if (share == 0)
        return *below;
    return std::lerp(*below, *std::min_element(below + 1, values.end()), share);
}

double median(std::vector<double> values)
{
    return quantile(std::move(values), 0.5);
}

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace ringside::stats
