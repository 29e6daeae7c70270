// SPDX-License-Identifier: MIT
#include "core/stats/ratio.h"

#include "core/stats/quantile.h"

#include <random>

namespace ringside::stats {
namespace {

// std::uniform_int_distribution differs between standard libraries; the high half of a product does not.
std::size_t indexBelow(std::size_t size, std::mt19937_64& random)
{
    return static_cast<std::size_t>(((random() >> 32) * size) >> 32);
}

double resampledMedian(const std::vector<double>& values, std::vector<double>& drawn, std::mt19937_64& random)
{
    drawn.resize(values.size());
    for (double& value : drawn)
        value = values[indexBelow(values.size(), random)];
    return median(drawn);
}

Interval bootstrap(const std::vector<double>& values, const std::vector<double>& base, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<double> drawn;
    std::vector<double> ratios(kBootstrapResamples);
    for (double& ratio : ratios) {
        const double above = resampledMedian(values, drawn, random);
        ratio = above / resampledMedian(base, drawn, random);
    }
    const double tail = (1 - kConfidence) / 2;
    return {quantile(ratios, tail), quantile(ratios, 1 - tail)};
}

} // namespace

Ratio ratioOfMedians(const std::vector<double>& values, const std::vector<double>& base, std::uint64_t seed)
{
    Ratio ratio{median(values) / median(base), std::nullopt};
    if (values.size() >= kLeastRuns && base.size() >= kLeastRuns)
        ratio.interval = bootstrap(values, base, seed);
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
