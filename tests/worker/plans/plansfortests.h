// SPDX-License-Identifier: MIT
// The plans that tests go through.
#pragma once

#include "agent/worker/selftest/plangradients.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace ringside::test {

using ringside::exactPlans;
using ringside::planOf;
using ringside::plansOf;
using ringside::sums;

/// The same with servers, as is exact but for compression.
inline AggregationPlan servedPlan(int servers, Grouping grouping, Schedule schedule,
                                  Compression compression = Compression::none)
{
    AggregationPlan plan = planOf(Collective::parameterServer, grouping, schedule, compression);
    plan.servers = servers;
    return plan;
}

inline std::vector<AggregationPlan> exactServedPlans(int servers)
{
    std::vector<AggregationPlan> plans;
    for (const auto grouping : kGroupings)
        for (const auto schedule : kSchedules)
            if (const auto plan = servedPlan(servers, grouping, schedule); !whyNotComposed(plan))
                plans.push_back(plan);
    return plans;
}

/// One of each way in which numbers travel, in groups that are the same in every iteration.
inline std::vector<AggregationPlan> plansOfFixedGroups()
{
    std::vector<AggregationPlan> plans;
    for (const auto collective : sums())
        std::ranges::copy(plansOf(collective, Grouping::buckets, Schedule::overlapped), std::back_inserter(plans));
    for (const auto grouping : {Grouping::optimal, Grouping::merged})
        plans.push_back(planOf(Collective::allreduce, grouping, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::perTensor, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward));
    return plans;
}

} // namespace ringside::test
