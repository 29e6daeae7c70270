// SPDX-License-Identifier: MIT
// The aggregators, a file each; aggregator.cpp has them in a table.
#pragma once

#include "agent/worker/plans/aggregator.h"

namespace ringside {

struct AggregatorKind
{
    bool (*carriesOut)(const Aggregation&);
    Result<std::unique_ptr<Aggregator>> (*make)(const Aggregation&);
};

extern const AggregatorKind kServed;     ///< by parameter servers
extern const AggregatorKind kSingleRank; ///< nothing to aggregate
extern const AggregatorKind kSummed;     ///< by a collective

} // namespace ringside
