// SPDX-License-Identifier: MIT
#include "agent/worker/plans/priorityaggregator.h"

#include "agent/worker/plans/aggregatorkinds.h"

#include <algorithm>

namespace ringside {

namespace {

/// Between two agreements: short beside a message of some size. Ranks that have nothing in common ready ask again.
constexpr std::chrono::microseconds kCycle{50};

AgreeingThread::Choose frontFirst(const AggregationPlan& plan, const std::vector<Unit>& units)
{
    std::vector<std::uint64_t> bytes;
    for (const Unit& unit : units)
        bytes.push_back(unit.count * sizeof(float));
    return
        [bytes, chunk = plan.chunkBytes](const AgreeingThread::Units& ready) { return frontMost(ready, bytes, chunk); };
}

} // namespace

std::vector<AgreeingThread::Units> frontMost(const AgreeingThread::Units& ready,
                                             const std::vector<std::uint64_t>& bytes, std::uint64_t chunk)
{
    std::vector<AgreeingThread::Units> messages;
    std::uint64_t filled = 0;
    for (auto unit = ready.rbegin(); unit != ready.rend() && (messages.empty() || filled < chunk); ++unit) {
        messages.push_back({*unit});
        filled += bytes[*unit];
    }
    return messages;
}

PriorityAggregator::PriorityAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters,
                                       Communicator& communicator, std::unique_ptr<Exchange> exchange,
                                       AggregatorHooks hooks)
    : m_parameters(parameters)
    , m_scale(1.0f / static_cast<float>(communicator.worldSize()))
    , m_testHooks(std::move(hooks))
    , m_buckets(groupsOf(plan, parameters), parameters, !exchange->takesGpuMemory())
    , m_units(unitsOf(plan, m_buckets.numbers()))
    , m_exchange(std::move(exchange))
    , m_thread(communicator, *m_exchange, m_units.size(), kCycle, frontFirst(plan, m_units), m_testHooks.beforeEach())
    , m_hooks(m_parameters, *this)
{
    m_thread.nameTimingsByUnit();
    m_exchange->reserve(std::ranges::max(numbersOf(m_units)));
}

template <class Action> void PriorityAggregator::forUnitsOf(std::size_t bucket, const Action& action)
{
    for (std::uint32_t unit = 0; unit < m_units.size(); ++unit)
        if (m_units[unit].bucket == bucket)
            action(unit);
}

void PriorityAggregator::begin()
{
    m_buckets.clear();
    m_missing = m_buckets.count();
    m_thread.begin();
}

void PriorityAggregator::ready(std::size_t tensor)
{
    const auto bucket = m_buckets.place(tensor);
    if (!m_buckets.isFull(bucket))
        return;
    --m_missing;
    if (m_buckets.isLast(bucket) && m_testHooks.inLastHook)
        m_testHooks.inLastHook();
    const auto payload = m_buckets.payload(bucket);
    forUnitsOf(bucket, [&](std::uint32_t unit) {
        m_thread.offer(unit, payload.part(m_units[unit].first, m_units[unit].count));
    });
}

Result<void> PriorityAggregator::await(std::size_t tensor)
{
    Result<void> outcome;
    forUnitsOf(m_buckets.bucketOf(tensor), [&](std::uint32_t unit) {
        if (outcome)
            outcome = m_thread.awaitUnit(unit);
    });
    if (outcome)
        m_buckets.takeBack(m_buckets.bucketOf(tensor));
    return outcome;
}

Result<void> PriorityAggregator::finish()
{
    if (m_missing > 0)
        return fail(ErrorCode::internal, fmt::format("Backward left {} buckets without a gradient.", m_missing));
    TRY(m_thread.awaitAll());
    m_buckets.takeBackAll();
    return {};
}

namespace {

bool isPrioritised(const Aggregation& aggregation)
{
    return aggregation.plan.schedule == Schedule::priority;
}

Result<std::unique_ptr<Aggregator>> makePrioritised(const Aggregation& aggregation)
{
    TRY_ASSIGN(auto exchange, exchangeOf(aggregation));
    return std::make_unique<PriorityAggregator>(aggregation.plan, aggregation.parameters, aggregation.ranks,
                                                std::move(exchange), aggregation.hooks);
}

} // namespace

const AggregatorKind kPrioritised{isPrioritised, makePrioritised};

} // namespace ringside
