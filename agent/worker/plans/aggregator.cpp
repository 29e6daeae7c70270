// SPDX-License-Identifier: MIT
#include "agent/worker/plans/aggregator.h"

#include <algorithm>

namespace ringside {

namespace {

/// The first that fits is taken.
constexpr const AggregatorKind* kKinds[] = {&kServed, &kSingleRank, &kSummed};

} // namespace

std::function<void(bool)> AggregatorHooks::beforeEach() const
{
    if (!beforeLastReduce)
        return {};
    return [action = beforeLastReduce](bool isLast) {
        if (isLast)
            action();
    };
}

Result<std::unique_ptr<Aggregator>> makeAggregator(const Aggregation& aggregation)
{
    const auto fits = [&](const AggregatorKind* kind) { return kind->carriesOut(aggregation); };
    return (*std::ranges::find_if(kKinds, fits))->make(aggregation);
}

} // namespace ringside
