// SPDX-License-Identifier: MIT
#include "core/stats/ratio.h"

#include "core/stats/quantile.h"
#include "core/stats/resampledmedian.h"

#include <bit>
#include <cstdint>

namespace ringside::stats {
namespace {

/// So much may rounding take from a sum of weights.
constexpr double kRounding = 1e-12;

using Medians = std::vector<WeightedValue>;

/// The share of all pairs of resamples whose ratio is at most `ratio`: with the denominator grows the numerator that is
/// still small enough.
double shareUpTo(double ratio, const Medians& numerators, const Medians& denominators)
{
    double share = 0, below = 0;
    std::size_t next = 0;
    for (const WeightedValue& denominator : denominators) {
        for (; next < numerators.size() && numerators[next].value / denominator.value <= ratio; ++next)
            below += numerators[next].weight;
        share += denominator.weight * below;
    }
    return share;
}

/// The smallest ratio up to which the share is at least p. Positive doubles have the order of their bits, so halving
/// these finds it to the last digit in at most 63 steps, without a list of all ratios.
double quantileOfRatio(double p, const Medians& numerators, const Medians& denominators)
{
    auto low = std::bit_cast<std::uint64_t>(numerators.front().value / denominators.back().value);
    auto high = std::bit_cast<std::uint64_t>(numerators.back().value / denominators.front().value);
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (shareUpTo(std::bit_cast<double>(middle), numerators, denominators) >= p - kRounding)
            high = middle;
        else
            low = middle + 1;
    }
    return std::bit_cast<double>(low);
}

Interval bootstrap(const std::vector<double>& values, const std::vector<double>& base)
{
    const Medians numerators = resampledMedians(values), denominators = resampledMedians(base);
    const double tail = (1 - kConfidence) / 2;
    return {quantileOfRatio(tail, numerators, denominators), quantileOfRatio(1 - tail, numerators, denominators)};
}

} // namespace

Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base)
{
    Ratio ratio{median(values) / median(base), std::nullopt};
    if (values.size() >= kLeastRuns && base.size() >= kLeastRuns)
        ratio.interval = bootstrap(values, base);
    return ratio;
}

Ratio dividedBy(const Ratio& ratio, double factor)
{
    Ratio result{ratio.value / factor, std::nullopt};
    if (ratio.interval)
        result.interval = Interval{ratio.interval->low / factor, ratio.interval->high / factor};
    return result;
}

} // namespace ringside::stats
