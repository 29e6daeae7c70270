// SPDX-License-Identifier: MIT
#include "agent/worker/plans/units.h"

#include <algorithm>

namespace ringside {

namespace {

/// In numbers.
std::size_t chunkOf(const AggregationPlan& plan)
{
    return std::max<std::size_t>(1, plan.chunkBytes / sizeof(float));
}

} // namespace

Result<void> checkUnits(const AggregationPlan& plan, std::span<const std::size_t> buckets)
{
    const bool isServed = plan.collective == Collective::parameterServer;
    const std::size_t most = isServed ? kMostServedUnits : kMostUnits;
    const std::size_t chunk = chunkOf(plan);
    std::size_t units = plan.isLayerwise() ? 0 : buckets.size();
    for (std::size_t bucket = 0; plan.isLayerwise() && bucket < buckets.size(); ++bucket)
        units += (buckets[bucket] + chunk - 1) / chunk;
    if (units <= most)
        return {};
    return fail(ErrorCode::usage,
                fmt::format("The plan cuts the model's gradients into {} messages, and {} {} at most.", units,
                            isServed ? "servers hold" : "an iteration has", most),
                "Use larger chunks.");
}

std::vector<Unit> unitsOf(const AggregationPlan& plan, std::span<const std::size_t> buckets)
{
    const std::size_t chunk = chunkOf(plan);
    std::vector<Unit> units;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        const std::size_t most = plan.isLayerwise() ? chunk : buckets[bucket];
        for (std::size_t first = 0; first < buckets[bucket]; first += most)
            units.push_back({bucket, first, std::min(most, buckets[bucket] - first)});
    }
    return units;
}

std::vector<std::size_t> numbersOf(std::span<const Unit> units)
{
    std::vector<std::size_t> numbers;
    for (const Unit& unit : units)
        numbers.push_back(unit.count);
    return numbers;
}

} // namespace ringside
