// SPDX-License-Identifier: MIT
#include "core/stats/ranksum.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ringside::stats {
namespace {

/// Twice the mid-rank of each value of `joined`, so that ties stay whole numbers.
std::vector<int> doubledRanks(const std::vector<double>& joined)
{
    std::vector<double> sorted = joined;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> ranks;
    for (const double value : joined) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        ranks.push_back(static_cast<int>((first - sorted.begin()) + (last - sorted.begin()) + 1));
    }
    return ranks;
}

/// ways[s]: in how many ways `take` of the ranks have the sum s.
std::vector<double> waysToSum(const std::vector<int>& ranks, std::size_t take)
{
    const auto total = static_cast<std::size_t>(std::accumulate(ranks.begin(), ranks.end(), 0));
    std::vector<std::vector<double>> ways(take + 1, std::vector<double>(total + 1, 0));
    ways[0][0] = 1;
    for (const int rank : ranks)
        for (std::size_t taken = take; taken > 0; --taken)
            for (std::size_t sum = total; sum >= static_cast<std::size_t>(rank); --sum)
                ways[taken][sum] += ways[taken - 1][sum - static_cast<std::size_t>(rank)];
    return ways[take];
}

/// The share of all deals whose rank sum lies at least as far from its mean as the one observed.
double exactP(const std::vector<int>& ranks, std::size_t take, double observed, double expected)
{
    const std::vector<double> ways = waysToSum(ranks, take);
    double all = 0, asFar = 0;
    for (std::size_t sum = 0; sum < ways.size(); ++sum) {
        all += ways[sum];
        if (std::abs(static_cast<double>(sum) - expected) >= std::abs(observed - expected) - 1e-9)
            asFar += ways[sum];
    }
    return asFar / all;
}

/// `distance` and the variance are in doubled ranks; the variance of the ranks as they are takes care of ties.
double normalP(const std::vector<int>& ranks, double take, double distance)
{
    const double all = static_cast<double>(ranks.size());
    const double centre = all + 1;
    double squares = 0;
    for (const int rank : ranks)
        squares += (rank - centre) * (rank - centre);
    const double variance = take * (all - take) * squares / (all * (all - 1));
    if (variance <= 0)
        return 1;
    const double z = std::max(0.0, distance - 1) / std::sqrt(variance);
    return 2 * cdf(complement(boost::math::normal_distribution<double>(), z));
}

} // namespace

double rankSumP(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.empty() || b.empty())
        return 1;
    std::vector<double> joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    const std::vector<int> ranks = doubledRanks(joined);
    const double observed = std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(a.size()), 0);
    const double expected = static_cast<double>(a.size()) * static_cast<double>(joined.size() + 1);
    if (joined.size() <= kExactRankSum)
        return exactP(ranks, a.size(), observed, expected);
    return normalP(ranks, static_cast<double>(a.size()), std::abs(observed - expected));
}

} // namespace ringside::stats
