// SPDX-License-Identifier: MIT
// The plans that tests go through.
#pragma once

#include "agent/worker/selftest/plangradients.h"

#include <vector>

namespace ringside::test {

using ringside::exactPlans;
using ringside::kSums;
using ringside::planOf;

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
    for (const auto grouping : {Grouping::one, Grouping::perTensor, Grouping::buckets, Grouping::equalBuckets})
        for (const auto schedule : {Schedule::afterBackward, Schedule::overlapped, Schedule::priority})
            if (const auto plan = servedPlan(servers, grouping, schedule); !whyNotComposed(plan))
                plans.push_back(plan);
    return plans;
}

/// One of each way in which numbers travel, in groups that are the same in every iteration.
inline std::vector<AggregationPlan> plansOfFixedGroups()
{
    std::vector<AggregationPlan> plans;
    for (const auto collective : kSums)
        for (const auto compression : {Compression::none, Compression::bf16})
            plans.push_back(planOf(collective, Grouping::buckets, Schedule::overlapped, compression));
    for (const auto compression : {Compression::onebit, Compression::topk})
        plans.push_back(planOf(Collective::allreduce, Grouping::buckets, Schedule::overlapped, compression));
    for (const auto grouping : {Grouping::optimal, Grouping::merged})
        plans.push_back(planOf(Collective::allreduce, grouping, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::perTensor, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward));
    return plans;
}

} // namespace ringside::test
