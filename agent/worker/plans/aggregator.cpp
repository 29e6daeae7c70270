// SPDX-License-Identifier: MIT
#include "agent/worker/plans/aggregator.h"

namespace ringside {

Timings noTimings()
{
    std::promise<std::vector<BucketTiming>> known;
    known.set_value({});
    return known.get_future();
}

Result<std::unique_ptr<Aggregator>> makeAggregator(const Aggregation& aggregation)
{
    if (aggregation.plan.serverRanks() > 0)
        return makeServed(aggregation);
    return aggregation.ranks.worldSize() == 1 ? makeAlone(aggregation) : makeSummed(aggregation);
}

} // namespace ringside
