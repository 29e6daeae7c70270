// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/servedaggregator.h"

#include "agent/worker/plans/aggregatorkinds.h"

#include <algorithm>

namespace ringside {

namespace {

/// Buckets are numbered from the last layers on.
std::vector<std::uint32_t> orderOf(const AggregationPlan& plan, const std::vector<Unit>& units)
{
    std::vector<std::uint32_t> order;
    for (const Unit& unit : units)
        order.push_back(plan.schedule == Schedule::priority ? static_cast<std::uint32_t>(unit.bucket) : 0);
    return order;
}

/// Before servers are told anything; the same on all ranks.
Result<void> checkUnits(const AggregationPlan& plan, const std::vector<Parameter>& parameters)
{
    std::vector<std::size_t> buckets;
    for (const TensorGroup& group : groupsOf(plan, parameters)) {
        buckets.push_back(0);
        for (const auto tensor : group)
            buckets.back() += static_cast<std::size_t>(parameters[tensor].value.numel());
    }
    const std::size_t units = unitsOf(plan, buckets).size();
    if (units <= kMostServedUnits)
        return {};
    return fail(ErrorCode::usage,
                fmt::format("The plan cuts the model's gradients into {} messages, and servers hold {} at most.", units,
                            kMostServedUnits),
                "Use larger chunks.");
}

} // namespace

ServedAggregator::ServedAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters, int ranks,
                                   Communicator& world, AggregatorHooks hooks)
    : m_parameters(parameters)
    , m_isOverlapped(plan.schedule != Schedule::afterBackward)
    , m_isAsynchronous(plan.asynchronous)
    , m_isLayerwise(plan.schedule == Schedule::priority)
    , m_scale(plan.asynchronous ? 1.0f : 1.0f / static_cast<float>(ranks))
    , m_testHooks(std::move(hooks))
    , m_buckets(groupsOf(plan, parameters), parameters, true)
    , m_units(unitsOf(plan, m_buckets.numbers()))
    , m_launched(m_buckets.count())
    , m_link(plan, world, ranks, numbersOf(m_units))
    , m_thread(m_link, orderOf(plan, m_units), m_testHooks.beforeEach())
    , m_hooks(m_parameters, *this)
{
}

Result<std::unique_ptr<Aggregator>> ServedAggregator::make(const Aggregation& aggregation)
{
    const auto& [plan, parameters, ranks, world, merged, hooks] = aggregation;
    if (!world)
        return fail(ErrorCode::internal, "The servers of a plan are not among these ranks.");
    TRY(checkUnits(plan, parameters));
    std::unique_ptr<ServedAggregator> made(new ServedAggregator(plan, parameters, ranks.worldSize(), *world, hooks));
    if (ranks.rank() == 0)
        TRY(made->m_link.start([&](std::uint32_t unit) { return made->weightsOf(unit); }));
    return made;
}

std::span<float> ServedAggregator::weightsOf(std::uint32_t unit)
{
    const Unit& part = m_units[unit];
    return m_buckets.weights(part.bucket).subspan(part.first, part.count);
}

void ServedAggregator::begin()
{
    m_buckets.clear();
    m_launched.assign(m_launched.size(), false);
    m_thread.begin();
}

void ServedAggregator::ready(std::size_t tensor)
{
    const auto bucket = m_buckets.place(tensor);
    if (!m_buckets.isFull(bucket))
        return;
    if (m_buckets.isLast(bucket) && m_testHooks.inLastHook)
        m_testHooks.inLastHook();
    if (m_isOverlapped)
        push(bucket);
}

void ServedAggregator::push(std::size_t bucket)
{
    m_launched[bucket] = true;
    const auto payload = m_buckets.payload(bucket);
    for (std::uint32_t unit = 0; unit < m_units.size(); ++unit)
        if (m_units[unit].bucket == bucket)
            m_thread.push(unit, payload.part(m_units[unit].first, m_units[unit].count));
}

void ServedAggregator::launch()
{
    for (std::size_t bucket = 0; bucket < m_buckets.count(); ++bucket)
        if (!m_launched[bucket] && m_buckets.isFull(bucket))
            push(bucket);
}

Result<void> ServedAggregator::await(std::size_t tensor)
{
    launch();
    for (std::uint32_t unit = 0; unit < m_units.size(); ++unit)
        if (m_units[unit].bucket == m_buckets.bucketOf(tensor))
            TRY(m_thread.awaitUnit(unit));
    m_buckets.takeBack(m_buckets.bucketOf(tensor));
    return {};
}

Result<void> ServedAggregator::finish()
{
    launch();
    const auto missing = std::ranges::find(m_launched, false);
    if (missing != m_launched.end())
        return fail(ErrorCode::internal,
                    fmt::format("Backward left bucket {} without a gradient.", missing - m_launched.begin()));
    TRY(m_thread.awaitAll());
    m_buckets.takeBackAll();
    return {};
}

bool ServedAggregator::takeWeights()
{
    return takeWeightsOf({"", 0, m_parameters.size()});
}

bool ServedAggregator::takeWeightsOf(const Layer& layer)
{
    m_buckets.takeWeights(layer);
    return true;
}

Result<void> ServedAggregator::vote(std::span<float> votes, Communicator& ranks)
{
    return m_isAsynchronous ? m_link.vote(votes) : Aggregator::vote(votes, ranks);
}

namespace {

bool isServed(const Aggregation& aggregation)
{
    return aggregation.plan.serverRanks() > 0;
}

} // namespace

const AggregatorKind kServed{isServed, ServedAggregator::make};

} // namespace ringside
