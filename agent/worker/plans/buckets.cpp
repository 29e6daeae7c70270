// SPDX-License-Identifier: MIT
#include "agent/worker/plans/buckets.h"

#include <limits>
#include <numeric>

namespace ringside {

namespace {

/// Bytes that fill the first group, and each further one.
struct Limits
{
    std::uint64_t first;
    std::uint64_t others;
};

Limits limitsOf(const AggregationPlan& plan, std::uint64_t allBytes)
{
    const auto buckets = static_cast<std::uint64_t>(plan.bucketCount);
    const std::uint64_t share = (allBytes + buckets - 1) / buckets;
    if (plan.groupsUnderway())
        return {1, 1};
    switch (plan.grouping) {
    case Grouping::perTensor:
        return {1, 1};
    case Grouping::buckets:
        return {plan.firstBucketBytes, plan.bucketCapBytes};
    case Grouping::equalBuckets:
        return {share, share};
    default:
        return {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()};
    }
}

} // namespace

std::vector<TensorGroup> groupTensors(const AggregationPlan& plan, std::span<const std::uint64_t> tensorBytes)
{
    std::vector<TensorGroup> groups;
    TensorGroup open;
    std::uint64_t openBytes = 0;
    const Limits limits = limitsOf(plan, std::accumulate(tensorBytes.begin(), tensorBytes.end(), std::uint64_t{0}));
    for (std::size_t tensor = tensorBytes.size(); tensor-- > 0;) {
        open.push_back(tensor);
        openBytes += tensorBytes[tensor];
        if (openBytes >= (groups.empty() ? limits.first : limits.others)) {
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
