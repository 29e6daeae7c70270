// SPDX-License-Identifier: MIT
// The policies of plans in two tables: a schedule's own, and in its place that of a grouping that is decided underway.
#include "agent/worker/plans/exchangepolicy.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside {

namespace {

using Bytes = std::vector<std::uint64_t>; ///< by unit
using MakePolicy = PlanPolicy (*)(const AggregationPlan& plan, Bytes bytes, Communicator& ranks);

/// Between two agreements on what goes first: short beside a message of some size. Ranks that have nothing in common
/// ready ask again.
constexpr std::chrono::microseconds kPriorityCycle{50};

PlanPolicy eachInOrder(const AggregationPlan&, Bytes, Communicator&)
{
    return {inOrder()};
}

PlanPolicy frontFirst(const AggregationPlan& plan, Bytes bytes, Communicator& ranks)
{
    const std::size_t units = bytes.size();
    const auto choose = [bytes = std::move(bytes), chunk = plan.chunkBytes](const Units& ready) {
        return frontMost(ready, bytes, chunk);
    };
    const Cycle cycle{.length = kPriorityCycle, .goesOn = false, .choosesLate = true};
    return {agreed(ranks, units, cycle, choose, Named::byUnit)};
}

PlanPolicy fused(const AggregationPlan& plan, Bytes bytes, Communicator& ranks)
{
    const std::size_t units = bytes.size();
    const std::uint64_t all = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
    const auto choose = [bytes = std::move(bytes), threshold = plan.fusionThresholdBytes](const Units& ready) {
        return fuse(ready, bytes, threshold);
    };
    const Cycle cycle{std::chrono::microseconds(plan.fusionCycleUs), true};
    return {agreed(ranks, units, cycle, choose, Named::byPlace), std::min(all, plan.fusionThresholdBytes)};
}

struct OfSchedule
{
    Schedule schedule;
    MakePolicy make;
};
constexpr auto kOfSchedules = std::to_array<OfSchedule>(
    {{Schedule::afterBackward, eachInOrder}, {Schedule::overlapped, eachInOrder}, {Schedule::priority, frontFirst}});
static_assert(kOfSchedules.size() == kSchedules.size());

struct OfGrouping
{
    Grouping grouping;
    MakePolicy make;
};
constexpr auto kOfGroupings = std::to_array<OfGrouping>({{Grouping::fusion, fused}});
static_assert(kOfGroupings.size() ==
              std::size_t(std::ranges::count(kGroupingWords, Grouped::underway, &GroupingWords::grouped)));

} // namespace

PlanPolicy policyOf(const AggregationPlan& plan, std::vector<std::uint64_t> bytes, Communicator& ranks)
{
    const auto grouping = std::ranges::find(kOfGroupings, plan.grouping, &OfGrouping::grouping);
    const MakePolicy make = grouping != kOfGroupings.end()
                                ? grouping->make
                                : std::ranges::find(kOfSchedules, plan.schedule, &OfSchedule::schedule)->make;
    return make(plan, std::move(bytes), ranks);
}

} // namespace ringside
