// SPDX-License-Identifier: MIT
#include "agent/worker/plans/buckets.h"

#include <limits>

namespace ringside {

namespace {

std::uint64_t limitOf(const AggregationPlan& plan, bool first)
{
    if (plan.grouping == Grouping::one)
        return std::numeric_limits<std::uint64_t>::max();
    if (plan.grouping == Grouping::perTensor)
        return 1;
    return first ? plan.firstBucketBytes : plan.bucketCapBytes;
}

} // namespace

std::vector<TensorGroup> groupTensors(const AggregationPlan& plan, std::span<const std::uint64_t> tensorBytes)
{
    std::vector<TensorGroup> groups;
    TensorGroup open;
    std::uint64_t openBytes = 0;
    for (std::size_t tensor = tensorBytes.size(); tensor-- > 0;) {
        open.push_back(tensor);
        openBytes += tensorBytes[tensor];
        if (openBytes >= limitOf(plan, groups.empty())) {
            groups.push_back(std::move(open));
            open.clear();
            openBytes = 0;
        }
    }
    if (!open.empty())
        groups.push_back(std::move(open));
    return groups;
}

} // namespace ringside
