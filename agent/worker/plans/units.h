// SPDX-License-Identifier: MIT
// Units are sent by themselves: a bucket, or with a layerwise schedule a chunk of one. Pure.
#pragma once

#include "core/base/error.h"
#include "core/protocol/aggregationplan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace ringside {

struct Unit
{
    std::size_t bucket = 0;
    std::size_t first = 0; ///< number in the bucket
    std::size_t count = 0;
    bool operator==(const Unit&) const = default;
};

/// The units of buckets with so many numbers each, in their order. Large buckets are cut so that more urgent units need
/// not wait for all of one (Jayarajan et al., "Priority-based parameter propagation for distributed DNN training",
/// MLSys 2019, section 4.1). The last chunk of a bucket is the rest.
std::vector<Unit> unitsOf(const AggregationPlan& plan, std::span<const std::size_t> buckets);

/// Fails with usage if they would be more than an iteration, or the servers of the plan, can have: before any is made.
Result<void> checkUnits(const AggregationPlan& plan, std::span<const std::size_t> buckets);

/// The size of each, in numbers.
std::vector<std::size_t> numbersOf(std::span<const Unit> units);

} // namespace ringside
