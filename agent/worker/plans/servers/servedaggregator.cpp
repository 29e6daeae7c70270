// SPDX-License-Identifier: MIT
// Gradients go to parameter servers, which own the update (parameterserver.h); the weights come back. The time between
// is the server's and the wire's.
#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/servers/servercarrier.h"

#include <algorithm>
#include <optional>

namespace ringside {

namespace {

/// Units go as they are there, and with a layerwise schedule those of the front layers first; ranks need not agree
/// on an order.
///
/// Asynchronous updates are by each rank's own gradients, not by the n-th part of them: n ranks take n steps where
/// synchronous ones take one (as in MXNet: apache/mxnet, python/mxnet/module/module.py, rescale_grad of dist_async).
class ServedAggregator : public BucketAggregator
{
public:
    using BucketAggregator::BucketAggregator;

    void update(Sgd&, const Layer& tensors) override { buckets().takeWeights(tensors); }
    /// Before training, units one after the other: those of a bucket are fetched once together.
    std::span<float> weightsOf(std::uint32_t unit)
    {
        const Unit& part = units()[unit];
        if (m_fetched != part.bucket) {
            m_weights = buckets().weights(part.bucket);
            m_fetched = part.bucket;
        }
        return m_weights.subspan(part.first, part.count);
    }

private:
    std::optional<std::size_t> m_fetched;
    std::span<float> m_weights; ///< of that bucket
};

/// Buckets are numbered from the last layers on.
std::vector<std::uint32_t> urgencyOf(const AggregationPlan& plan, const std::vector<Unit>& units)
{
    std::vector<std::uint32_t> urgency;
    for (const Unit& unit : units)
        urgency.push_back(plan.isLayerwise() ? static_cast<std::uint32_t>(unit.bucket) : 0);
    return urgency;
}

/// Ranks that wait for no other do not do so to vote, either.
ExchangeThread::SumVotes votesBy(const AggregationPlan& plan, ServerLink& link, Communicator& ranks)
{
    if (plan.asynchronous)
        return [&link](std::span<float> votes) { return link.vote(votes); };
    return [&ranks](std::span<float> votes) { return ranks.sumVotes(votes); };
}

} // namespace

/// Collective among the ranks; the servers are behind them in the world.
Result<std::unique_ptr<Aggregator>> makeServed(const Aggregation& aggregation)
{
    const auto& [plan, parameters, ranks, world, merged, around] = aggregation;
    if (!world)
        return fail(ErrorCode::internal, "The servers of a plan are not among these ranks.");
    GradientBuckets buckets(groupsOf(plan, parameters), parameters, true);
    TRY(checkUnits(plan, buckets.numbers())); // before servers receive anything; the same on all ranks
    std::vector<Unit> units = unitsOf(plan, buckets.numbers());
    auto link = std::make_unique<ServerLink>(plan, *world, ranks.worldSize(), numbersOf(units));
    ServerLink& there = *link;
    BucketAggregator::Parts parts{
        plan.schedule,    std::move(buckets),
        std::move(units), nullptr,
        nullptr,          plan.asynchronous ? 1.0f : 1.0f / static_cast<float>(ranks.worldSize())};
    parts.policy = mostUrgentFirst(urgencyOf(plan, parts.units));
    parts.carrier = around(std::make_unique<ServerCarrier>(std::move(link)), parts.units.size());
    parts.sumVotes = votesBy(plan, there, ranks);
    auto made = std::make_unique<ServedAggregator>(parameters, std::move(parts));
    if (ranks.rank() == 0)
        TRY(there.start([&](std::uint32_t unit) { return made->weightsOf(unit); }));
    return made;
}

} // namespace ringside
