// SPDX-License-Identifier: MIT
#include "core/stats/resampledmedian.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace ringside::stats {
namespace {

/// Lighter ones are not listed: all that ten thousand values leave out together moves no digit of a share.
constexpr double kLeastWeight = 1e-20;

/// P(the k-th smallest of n draws is among the `count` lowest of n values).
double isAmongLowest(int k, int count, int n)
{
    if (count <= 0 || count >= n)
        return count >= n ? 1 : 0;
    const boost::math::binomial_distribution<double> draws(n, static_cast<double>(count) / n);
    return cdf(complement(draws, k - 1));
}

/// P(the k-th smallest of n draws is the value at `place`, counted from 1).
double isAt(int k, int place, int n)
{
    return isAmongLowest(k, place, n) - isAmongLowest(k, place - 1, n);
}

/// P(all of n / 2 draws are among the `count` lowest, one of them the highest of these), as a logarithm.
double logHalfEndsAt(int count, int n)
{
    const double half = n / 2, whole = n; // a / n to the power of half, less (a - 1) / n to it
    const double outer = half * std::log(count / whole);
    return outer + std::log1p(-std::exp(half * (std::log(std::max(count - 1, 0) / whole)) - outer));
}

std::vector<WeightedValue> ofOddCount(const std::vector<double>& sorted)
{
    const int n = static_cast<int>(sorted.size());
    std::vector<WeightedValue> medians;
    for (int place = 1; place <= n; ++place)
        medians.push_back({sorted[static_cast<std::size_t>(place - 1)], isAt((n + 1) / 2, place, n)});
    return medians;
}

/// The two middle draws may be two values: half of the draws end at the lower one, half begin at the upper one.
std::vector<WeightedValue> ofEvenCount(const std::vector<double>& sorted)
{
    const int n = static_cast<int>(sorted.size());
    const double ways = std::lgamma(n + 1) - 2 * std::lgamma(n / 2 + 1);
    std::vector<WeightedValue> medians;
    for (int low = 1; low <= n; ++low) {
        const double lower = sorted[static_cast<std::size_t>(low - 1)];
        double apart = 0;
        for (int high = low + 1; high <= n; ++high) {
            const double weight = std::exp(ways + logHalfEndsAt(low, n) + logHalfEndsAt(n + 1 - high, n));
            if (weight < kLeastWeight)
                break; // the farther apart, the lighter
            medians.push_back({(lower + sorted[static_cast<std::size_t>(high - 1)]) / 2, weight});
            apart += weight;
        }
        medians.push_back({lower, std::max(0.0, isAt(n / 2, low, n) - apart)});
    }
    std::ranges::sort(medians, {}, &WeightedValue::value);
    return medians;
}

} // namespace

std::vector<WeightedValue> resampledMedians(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.size() % 2 == 1 ? ofOddCount(values) : ofEvenCount(values);
}

} // namespace ringside::stats
