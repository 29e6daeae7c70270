// SPDX-License-Identifier: MIT
// The aggregators, a file each; aggregator.cpp has them in a table.
#pragma once

#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/compressions/exchange.h"

namespace ringside {

struct AggregatorKind
{
    bool (*carriesOut)(const Aggregation&);
    Result<std::unique_ptr<Aggregator>> (*make)(const Aggregation&);
};

extern const AggregatorKind kServed;      ///< by parameter servers
extern const AggregatorKind kSingleRank;  ///< nothing to aggregate
extern const AggregatorKind kFused;       ///< once a cycle, what all ranks have ready
extern const AggregatorKind kPrioritised; ///< front layers first
extern const AggregatorKind kBucketed;    ///< groups that stay

/// What sums units of the plan's gradients. Collective.
Result<std::unique_ptr<Exchange>> exchangeOf(const Aggregation& aggregation);

} // namespace ringside
