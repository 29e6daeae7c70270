// SPDX-License-Identifier: MIT
#include "core/stats/interval.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace ringside::stats {

std::optional<MedianRanks> medianRanks(int n, double confidence)
{
    if (n < 1)
        return std::nullopt;
    const boost::math::binomial_distribution<double> below(n, 0.5);
    const double tail = (1 - confidence) / 2;
    int low = 0;
    while (low < n / 2 && cdf(below, low) <= tail)
        ++low;
    if (low == 0)
        return std::nullopt;
    return MedianRanks{low, n + 1 - low};
}

std::optional<Interval> medianInterval(std::vector<double> values)
{
    const auto ranks = medianRanks(static_cast<int>(values.size()));
    if (!ranks)
        return std::nullopt;
    std::ranges::sort(values);
    return Interval{values[static_cast<std::size_t>(ranks->low - 1)],
                    values[static_cast<std::size_t>(ranks->high - 1)]};
}

} // namespace ringside::stats
