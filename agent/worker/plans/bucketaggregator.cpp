// SPDX-License-Identifier: MIT
#include "agent/worker/plans/bucketaggregator.h"

#include "agent/worker/plans/aggregatorkinds.h"

#include <algorithm>

namespace ringside {

namespace {

std::function<void(std::uint32_t)> onlyBefore(std::size_t last, std::function<void()> action)
{
    if (!action)
        return {};
    return [last, action = std::move(action)](std::uint32_t bucket) {
        if (bucket == last)
            action();
    };
}

} // namespace

BucketAggregator::BucketAggregator(Schedule schedule, const std::vector<TensorGroup>& groups,
                                   const std::vector<Parameter>& parameters, int ranks,
                                   std::unique_ptr<Exchange> exchange, AggregatorHooks hooks)
    : m_parameters(parameters)
    , m_overlapped(schedule == Schedule::overlapped)
    , m_scale(1.0f / static_cast<float>(ranks))
    , m_testHooks(std::move(hooks))
    , m_buckets(groups, parameters, !exchange->takesGpuMemory())
    , m_exchange(std::move(exchange))
    , m_thread(*m_exchange, onlyBefore(m_buckets.count() - 1, m_testHooks.beforeLastReduce))
    , m_hooks(m_parameters, *this)
{
    m_exchange->reserve(std::ranges::max(m_buckets.numbers()));
}

void BucketAggregator::begin()
{
    m_buckets.clear();
    m_launched = 0;
    m_thread.clear();
}

void BucketAggregator::ready(std::size_t tensor)
{
    const auto bucket = m_buckets.place(tensor);
    if (!m_buckets.isFull(bucket))
        return;
    if (m_buckets.isLast(bucket) && m_testHooks.inLastHook)
        m_testHooks.inLastHook();
    if (m_overlapped)
        launch();
}

void BucketAggregator::launch()
{
    for (; m_launched < m_buckets.count() && m_buckets.isFull(m_launched); ++m_launched)
        m_thread.push(static_cast<std::uint32_t>(m_launched), m_buckets.payload(m_launched));
}

Result<void> BucketAggregator::await(std::size_t tensor)
{
    launch();
    TRY(m_thread.awaitCount(m_buckets.bucketOf(tensor) + 1));
    m_buckets.takeBack(m_buckets.bucketOf(tensor));
    return {};
}

Result<void> BucketAggregator::finish()
{
    launch();
    if (m_launched < m_buckets.count())
        return fail(ErrorCode::internal, fmt::format("Backward left bucket {} without a gradient.", m_launched));
    for (std::size_t bucket = 0; bucket < m_buckets.count(); ++bucket) {
        TRY(m_thread.awaitCount(bucket + 1));
        m_buckets.takeBack(bucket); // while the others are exchanged
    }
    return {};
}

namespace {

/// Whatever no other one does.
bool isBucketed(const Aggregation&)
{
    return true;
}

Result<std::unique_ptr<Aggregator>> makeBucketed(const Aggregation& aggregation)
{
    const auto& [plan, parameters, ranks, world, merged, hooks] = aggregation;
    const bool isMerged = plan.mergesLayers();
    if (isMerged && merged.empty())
        return fail(ErrorCode::internal, "Nobody has decided which layers are merged.");
    TRY_ASSIGN(auto exchange, exchangeOf(aggregation));
    return std::make_unique<BucketAggregator>(plan.schedule, isMerged ? merged : groupsOf(plan, parameters), parameters,
                                              ranks.worldSize(), std::move(exchange), hooks);
}

} // namespace

const AggregatorKind kBucketed{isBucketed, makeBucketed};

} // namespace ringside
