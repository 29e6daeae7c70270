// SPDX-License-Identifier: MIT
#include "core/stats/ratio.h"

#include "core/stats/quantile.h"
#include "core/stats/resampledmedian.h"

#include <bit>
#include <cstdint>
#include <functional>

namespace ringside::stats {
namespace {

/// So much may rounding take from a sum of weights.
constexpr double kRounding = 1e-12;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

using Medians = std::vector<WeightedValue>;

/// The doubles in their order, those below zero included. Halving between two of them finds any to the last digit.
std::uint64_t placeOf(double value)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits & kSignBit ? ~bits : bits | kSignBit;
}

double valueAt(std::uint64_t place)
{
    return std::bit_cast<double>(place & kSignBit ? place & ~kSignBit : ~place);
}

/// The share of all pairs of resamples of which `of` makes at most `limit`: it grows with the first side and shrinks
/// with the second, so that with the second grows the first that is still small enough.
template <class Of> double shareUpTo(double limit, const Medians& values, const Medians& bases, const Of& of)
{
    double share = 0, below = 0;
    std::size_t next = 0;
    for (const WeightedValue& base : bases) {
        for (; next < values.size() && of(values[next].value, base.value) <= limit; ++next)
            below += values[next].weight;
        share += base.weight * below;
    }
    return share;
}

/// The smallest number up to which the share is at least p, found in at most 64 steps, without a list of all pairs.
template <class Of> double quantileOf(double p, const Medians& values, const Medians& bases, const Of& of)
{
    std::uint64_t low = placeOf(of(values.front().value, bases.back().value));
    std::uint64_t high = placeOf(of(values.back().value, bases.front().value));
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (shareUpTo(valueAt(middle), values, bases, of) >= p - kRounding)
            high = middle;
        else
            low = middle + 1;
    }
    return valueAt(low) + 0.0; // not the zero below zero, which comes first in their order
}

template <class Of> Interval bootstrap(const std::vector<double>& values, const std::vector<double>& base, const Of& of)
{
    const Medians ofValues = resampledMedians(values), ofBase = resampledMedians(base);
    const double tail = (1 - kConfidence) / 2;
    return {quantileOf(tail, ofValues, ofBase, of), quantileOf(1 - tail, ofValues, ofBase, of)};
}

template <class Of>
Estimate estimateOf(const std::vector<double>& values, const std::vector<double>& base, const Of& of)
{
    Estimate estimate{of(median(values), median(base)), std::nullopt};
    if (values.size() >= kLeastRuns && base.size() >= kLeastRuns)
        estimate.interval = bootstrap(values, base, of);
    return estimate;
}

} // namespace

Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base)
{
    return estimateOf(values, base, std::divides());
}

Difference differenceOfMedians(const std::vector<double>& values, const std::vector<double>& base)
{
    return estimateOf(values, base, std::minus());
}

Ratio dividedBy(const Ratio& ratio, double factor)
{
    Ratio result{ratio.value / factor, std::nullopt};
    if (ratio.interval)
        result.interval = Interval{ratio.interval->low / factor, ratio.interval->high / factor};
    return result;
}

} // namespace ringside::stats
