// SPDX-License-Identifier: MIT
#include "agent/worker/plans/bucketaggregator.h"

#include "agent/worker/plans/collectivecarrier.h"

#include <algorithm>

namespace ringside {

namespace {

std::vector<std::uint32_t> firstUnits(const std::vector<Unit>& units, std::size_t buckets)
{
    std::vector<std::uint32_t> first(buckets + 1, static_cast<std::uint32_t>(units.size()));
    for (std::size_t unit = units.size(); unit-- > 0;)
        first[units[unit].bucket] = static_cast<std::uint32_t>(unit);
    return first;
}

} // namespace

BucketAggregator::BucketAggregator(const std::vector<Parameter>& parameters, Parts parts)
    : m_parameters(parameters)
    , m_schedule(wordsOf(parts.schedule))
    , m_scale(parts.gradientScale)
    , m_buckets(std::move(parts.buckets))
    , m_units(std::move(parts.units))
    , m_firstUnits(firstUnits(m_units, m_buckets.count()))
    , m_offered(m_buckets.count())
    , m_thread(std::move(parts.policy), std::move(parts.carrier), m_units.size())
    , m_hooks(m_parameters, *this)
{
    m_thread.voteBy(std::move(parts.sumVotes));
}

void BucketAggregator::begin()
{
    m_buckets.clear();
    m_offered.assign(m_offered.size(), false);
    m_notOffered = m_offered.size();
    m_thread.begin();
}

void BucketAggregator::ready(std::size_t tensor)
{
    const auto bucket = m_buckets.place(tensor);
    if (m_buckets.isFull(bucket) && m_schedule.isDuringBackward)
        offer(bucket);
}

void BucketAggregator::offer(std::size_t bucket)
{
    m_offered[bucket] = true;
    --m_notOffered;
    const auto payload = m_buckets.payload(bucket);
    for (auto unit = firstUnitOf(bucket); unit < firstUnitOf(bucket + 1); ++unit)
        m_thread.offer(unit, payload.part(m_units[unit].first, m_units[unit].count));
}

void BucketAggregator::launch()
{
    for (std::size_t bucket = 0; m_notOffered > 0 && bucket < m_buckets.count(); ++bucket)
        if (!m_offered[bucket] && m_buckets.isFull(bucket))
            offer(bucket);
}

Result<void> BucketAggregator::awaitBucket(std::size_t bucket)
{
    for (auto unit = firstUnitOf(bucket); unit < firstUnitOf(bucket + 1); ++unit)
        TRY(m_thread.awaitUnit(unit));
    m_buckets.takeBack(bucket);
    return {};
}

Result<void> BucketAggregator::await(std::size_t tensor)
{
    launch();
    return awaitBucket(m_buckets.bucketOf(tensor));
}

Result<void> BucketAggregator::finish()
{
    launch();
    const auto missing = std::ranges::find(m_offered, false);
    if (missing != m_offered.end())
        return fail(ErrorCode::internal,
                    fmt::format("Backward left bucket {} without a gradient.", missing - m_offered.begin()));
    for (std::size_t bucket = 0; bucket < m_buckets.count(); ++bucket)
        TRY(awaitBucket(bucket)); // copied back while the others are exchanged
    return {};
}

// ---- collectives

namespace {

std::vector<std::uint64_t> bytesOf(const std::vector<Unit>& units)
{
    std::vector<std::uint64_t> bytes;
    for (const Unit& unit : units)
        bytes.push_back(unit.count * sizeof(float));
    return bytes;
}

} // namespace

std::unique_ptr<BucketAggregator> aggregatorFor(const AggregationPlan& plan, const std::vector<TensorGroup>& groups,
                                                const std::vector<Parameter>& parameters, Communicator& ranks,
                                                std::unique_ptr<Exchange> exchange, const AroundCarrier& around)
{
    const ExchangeStream stream(ranks, parameters.front().value.device());
    GradientBuckets buckets(groups, parameters, !stream.stream());
    std::vector<Unit> units = unitsOf(plan, buckets.numbers());
    PlanPolicy chosen = policyOf(plan, bytesOf(units), ranks);
    std::size_t largest = std::ranges::max(numbersOf(units));
    std::optional<FusionBuffer> fused;
    const auto here = stream.use(); // libtorch allocates memory by streams
    if (const std::size_t numbers = chosen.mostTogether / sizeof(float); numbers > 0) {
        largest = std::max(largest, numbers);
        fused.emplace(stream.device(), numbers);
    }
    exchange->reserve(largest);
    auto carrier =
        around(std::make_unique<CollectiveCarrier>(std::move(exchange), stream, std::move(fused)), units.size());
    const float scale = 1.0f / static_cast<float>(ranks.worldSize());
    return std::make_unique<BucketAggregator>(
        parameters, BucketAggregator::Parts{plan.schedule, std::move(buckets), std::move(units),
                                            std::move(chosen.policy), std::move(carrier), scale,
                                            [&ranks](std::span<float> votes) { return ranks.sumVotes(votes); }});
}

namespace {

Result<std::vector<TensorGroup>> groupsFor(const Aggregation& aggregation)
{
    if (!aggregation.plan.mergesLayers())
        return groupsOf(aggregation.plan, aggregation.parameters);
    if (aggregation.merged.empty())
        return fail(ErrorCode::internal, "It was not decided which layers are merged.");
    return aggregation.merged;
}

} // namespace

namespace {

/// The size of each group, in numbers.
std::vector<std::size_t> numbersIn(const std::vector<TensorGroup>& groups, const std::vector<Parameter>& parameters)
{
    std::vector<std::size_t> numbers;
    for (const TensorGroup& group : groups) {
        numbers.push_back(0);
        for (const std::size_t tensor : group)
            numbers.back() += static_cast<std::size_t>(parameters[tensor].value.numel());
    }
    return numbers;
}

} // namespace

Result<std::unique_ptr<Aggregator>> makeSummed(const Aggregation& aggregation)
{
    const auto& [plan, parameters, ranks, world, merged, around] = aggregation;
    TRY_ASSIGN(const auto groups, groupsFor(aggregation));
    TRY(checkUnits(plan, numbersIn(groups, parameters)));
    const ExchangeStream stream(ranks, parameters.front().value.device());
    TRY_ASSIGN(auto exchange, makeExchange(plan, ranks, stream.device()));
    return aggregatorFor(plan, groups, parameters, ranks, std::move(exchange), around);
}

} // namespace ringside
