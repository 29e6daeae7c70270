// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/servedaggregator.h"

#include "agent/worker/plans/servers/servercarrier.h"

#include <algorithm>

namespace ringside {

namespace {

/// Buckets are numbered from the last layers on.
std::vector<std::uint32_t> urgencyOf(const AggregationPlan& plan, const std::vector<Unit>& units)
{
    std::vector<std::uint32_t> urgency;
    for (const Unit& unit : units)
        urgency.push_back(plan.schedule == Schedule::priority ? static_cast<std::uint32_t>(unit.bucket) : 0);
    return urgency;
}

/// Ranks that wait for no other do not do so to vote, either.
ExchangeThread::SumVotes votesBy(const AggregationPlan& plan, ServerLink& link, Communicator& ranks)
{
    if (plan.asynchronous)
        return [&link](std::span<float> votes) { return link.vote(votes); };
    return [&ranks](std::span<float> votes) { return ranks.sumVotes(votes); };
}

/// Before servers are told anything; the same on all ranks.
Result<void> checkUnits(const std::vector<Unit>& units)
{
    if (units.size() <= kMostServedUnits)
        return {};
    return fail(ErrorCode::usage,
                fmt::format("The plan cuts the model's gradients into {} messages, and servers hold {} at most.",
                            units.size(), kMostServedUnits),
                "Use larger chunks.");
}

} // namespace

Result<std::unique_ptr<Aggregator>> ServedAggregator::make(const Aggregation& aggregation)
{
    const auto& [plan, parameters, ranks, world, merged, hooks] = aggregation;
    if (!world)
        return fail(ErrorCode::internal, "The servers of a plan are not among these ranks.");
    GradientBuckets buckets(groupsOf(plan, parameters), parameters, true);
    std::vector<Unit> units = unitsOf(plan, buckets.numbers());
    TRY(checkUnits(units));
    auto link = std::make_unique<ServerLink>(plan, *world, ranks.worldSize(), numbersOf(units));
    ServerLink& there = *link;
    Parts parts{plan.schedule,    std::move(buckets),
                std::move(units), nullptr,
                nullptr,          plan.asynchronous ? 1.0f : 1.0f / static_cast<float>(ranks.worldSize())};
    parts.policy = mostUrgentFirst(urgencyOf(plan, parts.units));
    parts.carrier = std::make_unique<ServerCarrier>(std::move(link));
    parts.sumVotes = votesBy(plan, there, ranks);
    std::unique_ptr<ServedAggregator> made(new ServedAggregator(parameters, std::move(parts), hooks));
    if (ranks.rank() == 0)
        TRY(there.start([&](std::uint32_t unit) { return made->weightsOf(unit); }));
    return made;
}

std::span<float> ServedAggregator::weightsOf(std::uint32_t unit)
{
    const Unit& part = units()[unit];
    return buckets().weights(part.bucket).subspan(part.first, part.count);
}

namespace {

bool isServed(const Aggregation& aggregation)
{
    return aggregation.plan.serverRanks() > 0;
}

} // namespace

const AggregatorKind kServed{isServed, ServedAggregator::make};

} // namespace ringside
