// SPDX-License-Identifier: MIT
#include "agent/worker/plans/buckets.h"
#include "agent/worker/plans/merging.h"

#include <doctest/doctest.h>
#include <numeric>

using namespace ringside;

namespace {

AggregationPlan buckets(std::uint64_t first, std::uint64_t cap)
{
    AggregationPlan plan;
    plan.grouping = Grouping::buckets;
    plan.firstBucketBytes = first;
    plan.bucketCapBytes = cap;
    return plan;
}

std::vector<TensorGroup> group(const AggregationPlan& plan, std::vector<std::uint64_t> bytes)
{
    return groupTensors(plan, bytes);
}

} // namespace

TEST_CASE("one: all tensors in one group, last first")
{
    CHECK(group({}, {1, 2, 3}) == std::vector<TensorGroup>{{2, 1, 0}});
}

TEST_CASE("buckets: filled from the last tensor, closed at their limit, the first one sooner")
{
    CHECK(group(buckets(10, 100), {60, 50, 40, 30, 8, 5}) == std::vector<TensorGroup>{{5, 4}, {3, 2, 1}, {0}});
    CHECK(group(buckets(1, 1), {3, 3}) == std::vector<TensorGroup>{{1}, {0}});
}

TEST_CASE("each tensor by itself, or as many buckets as said, each full at its share of the bytes")
{
    AggregationPlan plan;
    plan.grouping = Grouping::perTensor;
    CHECK(group(plan, {1, 2, 3}) == std::vector<TensorGroup>{{2}, {1}, {0}});
    plan.grouping = Grouping::equalBuckets;
    plan.bucketCount = 3;
    CHECK(group(plan, {10, 10, 10, 10, 10, 10}) == std::vector<TensorGroup>{{5, 4}, {3, 2}, {1, 0}});
    CHECK(group(plan, {10, 10, 100}) == std::vector<TensorGroup>{{2}, {1, 0}});
}

TEST_CASE("each tensor by itself where messages are put together underway")
{
    AggregationPlan plan;
    for (const auto& grouping : kGroupingWords)
        if (plan.grouping = grouping.part; plan.groupsUnderway())
            CHECK(group(plan, {1, 2, 3}) == std::vector<TensorGroup>{{2}, {1}, {0}});
}

TEST_CASE("a tensor above the limit is a bucket of its own and is not split")
{
    CHECK(group(buckets(10, 10), {1000, 4}) == std::vector<TensorGroup>{{1, 0}});
    CHECK(group(buckets(4, 10), {1000, 4}) == std::vector<TensorGroup>{{1}, {0}});
}

TEST_CASE("every tensor is in exactly one bucket")
{
    std::vector<std::uint64_t> bytes;
    for (std::uint64_t i = 0; i < 161; ++i)
        bytes.push_back((i * 7919) % 4096 + 4);
    std::vector<int> seen(bytes.size());
    for (const auto& tensors : group(buckets(1024, 16384), bytes))
        for (const auto tensor : tensors)
            ++seen[tensor];
    CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 161);
    CHECK(*std::max_element(seen.begin(), seen.end()) == 1);
}

TEST_CASE("groups of layers are groups of their tensors, the last first")
{
    const std::vector<Layer> layers{{"a", 0, 2}, {"b", 2, 1}, {"c", 3, 3}, {"d", 6, 1}};
    CHECK(tensorsOf({1, 2, 1}, layers) == std::vector<TensorGroup>{{6}, {5, 4, 3, 2}, {1, 0}});
    CHECK(tensorsOf({4}, layers) == std::vector<TensorGroup>{{6, 5, 4, 3, 2, 1, 0}});
}
