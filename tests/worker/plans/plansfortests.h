// SPDX-License-Identifier: MIT
// The plans that tests go through.
#pragma once

#include "core/protocol/aggregationplan.h"

#include <vector>

namespace ringside::test {

/// Several buckets even in a small model, some of a single tensor.
inline AggregationPlan planOf(Collective collective, Grouping grouping, Schedule schedule,
                              Compression compression = Compression::none)
{
    AggregationPlan plan;
    for (const auto part : {nameOf(collective), nameOf(grouping), nameOf(schedule), nameOf(compression)})
        plan.name = (plan.name == "none" ? "" : plan.name + " ") + std::string(part);
    plan.collective = collective;
    plan.grouping = grouping;
    plan.firstBucketBytes = 1 << 10;
    plan.bucketCapBytes = 64 << 10;
    plan.fusionThresholdBytes = 64 << 10;
    plan.chunkBytes = 10'000;
    plan.schedule = schedule;
    plan.compression = compression;
    return plan;
}

inline constexpr Collective kSums[] = {Collective::allreduce, Collective::hierarchical,
                                       Collective::reduceScatterAllgather};

/// Gradients of one big batch.
inline std::vector<AggregationPlan> exactPlans(Collective collective)
{
    std::vector<AggregationPlan> plans;
    for (const auto grouping : {Grouping::one, Grouping::perTensor, Grouping::buckets, Grouping::equalBuckets,
                                Grouping::fusion, Grouping::optimal})
        for (const auto schedule : {Schedule::afterBackward, Schedule::overlapped, Schedule::priority})
            if (const auto plan = planOf(collective, grouping, schedule); !whyNotComposed(plan))
                plans.push_back(plan);
    return plans;
}

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
    plans.push_back(planOf(Collective::allreduce, Grouping::optimal, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::perTensor, Schedule::overlapped));
    plans.push_back(planOf(Collective::allreduce, Grouping::one, Schedule::afterBackward));
    return plans;
}

} // namespace ringside::test
