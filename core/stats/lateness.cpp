// SPDX-License-Identifier: MIT
#include "core/stats/lateness.h"

#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ringside::stats {

namespace {

std::int64_t drift(std::int64_t ns)
{
    return std::abs(ns) / 1'000'000 * kDriftPerMillion;
}

Moment between(std::int64_t stampNs, const ClockOffset& before, const ClockOffset& after)
{
    const auto share = static_cast<double>(stampNs - before.atNs) / static_cast<double>(after.atNs - before.atNs);
    const auto way = static_cast<double>(after.offsetNs - before.offsetNs);
    return {stampNs + before.offsetNs + std::llround(share * way), std::max(before.uncertaintyNs, after.uncertaintyNs)};
}

} // namespace

std::optional<Moment> momentOf(std::int64_t stampNs, std::span<const ClockOffset> measured)
{
    if (measured.empty())
        return std::nullopt;
    const auto after = std::ranges::find_if(measured, [&](const ClockOffset& clock) { return clock.atNs > stampNs; });
    if (after != measured.begin() && after != measured.end())
        return between(stampNs, *(after - 1), *after);
    const ClockOffset& nearest = after == measured.end() ? measured.back() : measured.front();
    const std::int64_t drifted = nearest.uncertaintyNs > 0 ? drift(stampNs - nearest.atNs) : 0;
    return Moment{stampNs + nearest.offsetNs, nearest.uncertaintyNs + drifted};
}

std::optional<std::int64_t> allReduceStartNs(const Sample& sample)
{
    if (!sample.isSingle())
        return std::nullopt;
    std::int64_t start = sample.startNs;
    for (const Phase phase : phasesUntil(Phase::backward)) {
        if (!sample.told.has(phase))
            return std::nullopt;
        start += sample.phases[static_cast<std::size_t>(phase)];
    }
    return start;
}

std::vector<std::int64_t> lateness(std::span<const Moment> moments)
{
    const auto first = std::ranges::min_element(moments, {}, &Moment::ns);
    std::vector<std::int64_t> late;
    for (const Moment& moment : moments) {
        const std::int64_t ns = moment.ns - first->ns;
        const std::int64_t unknown = moment.uncertaintyNs + first->uncertaintyNs;
        late.push_back(ns < kLeastUncertainties * unknown ? 0 : ns);
    }
    return late;
}

std::optional<LateRank> namedRank(std::span<const Lateness> iterations)
{
    if (iterations.size() < kLateIterations)
        return std::nullopt;
    const auto last = iterations.last(kLateIterations);
    std::optional<LateRank> named;
    for (std::size_t rank = 0; rank < last.front().ns.size(); ++rank) {
        const auto isLate = [&](const Lateness& iteration) {
            return static_cast<double>(iteration.ns[rank]) > kLateShare * static_cast<double>(iteration.iterationNs);
        };
        if (!std::ranges::all_of(last, isLate))
            continue;
        std::vector<double> values;
        for (const Lateness& iteration : last)
            values.push_back(static_cast<double>(iteration.ns[rank]));
        const auto ns = std::llround(median(values));
        if (!named || ns > named->ns)
            named = LateRank{static_cast<int>(rank), ns};
    }
    return named;
}

} // namespace ringside::stats
