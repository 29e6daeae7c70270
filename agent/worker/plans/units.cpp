// SPDX-License-Identifier: MIT
#include "agent/worker/plans/units.h"

#include <algorithm>

namespace ringside {

std::vector<Unit> unitsOf(const AggregationPlan& plan, std::span<const std::size_t> buckets)
{
    const std::size_t chunk = std::max<std::size_t>(1, plan.chunkBytes / sizeof(float));
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
