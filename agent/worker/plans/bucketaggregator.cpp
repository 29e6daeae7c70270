// SPDX-License-Identifier: MIT
#include "agent/worker/plans/bucketaggregator.h"

#include "agent/worker/plans/buckets.h"

#include <ATen/ATen.h>

namespace ringside {

namespace {

std::vector<std::uint64_t> gradientBytes(const std::vector<Parameter>& parameters)
{
    std::vector<std::uint64_t> bytes;
    for (const auto& parameter : parameters)
        bytes.push_back(parameter.value.nbytes());
    return bytes;
}

std::function<void(std::uint32_t)> onlyBefore(std::uint32_t last, std::function<void()> action)
{
    if (!action)
        return {};
    return [last, action = std::move(action)](std::uint32_t bucket) {
        if (bucket == last)
            action();
    };
}

std::uint32_t lastGroup(const AggregationPlan& plan, const std::vector<Parameter>& parameters)
{
    return static_cast<std::uint32_t>(groupTensors(plan, gradientBytes(parameters)).size() - 1);
}

} // namespace

BucketAggregator::BucketAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters, int ranks,
                                   std::unique_ptr<Exchange> exchange, AggregatorHooks hooks)
    : m_parameters(parameters)
    , m_overlapped(plan.schedule == Schedule::overlapped)
    , m_scale(1.0f / static_cast<float>(ranks))
    , m_testHooks(std::move(hooks))
    , m_bucketOf(parameters.size())
    , m_slots(parameters.size())
    , m_exchange(std::move(exchange))
    , m_thread(*m_exchange, onlyBefore(lastGroup(plan, parameters), m_testHooks.beforeLastReduce))
{
    for (auto& group : groupTensors(plan, gradientBytes(parameters)))
        m_buckets.push_back(makeBucket(std::move(group)));
    m_hooks.emplace(m_parameters, *this);
}

BucketAggregator::Bucket BucketAggregator::makeBucket(std::vector<std::size_t> tensors)
{
    Bucket bucket{std::move(tensors), {}, {}, 0};
    std::int64_t total = 0;
    for (const auto tensor : bucket.tensors) {
        m_bucketOf[tensor] = m_buckets.size();
        total += m_parameters[tensor].value.numel();
    }
    if (bucket.tensors.size() == 1)
        return bucket;
    bucket.flat = at::zeros({total});
    bucket.payload = numbersOf(bucket.flat);
    std::int64_t offset = 0;
    for (const auto tensor : bucket.tensors) {
        const auto& value = m_parameters[tensor].value;
        m_slots[tensor] = bucket.flat.as_strided(value.sizes(), value.strides(), offset);
        offset += value.numel();
    }
    return bucket;
}

void BucketAggregator::begin()
{
    releaseGradients(m_parameters);
    for (auto& bucket : m_buckets)
        bucket.missing = bucket.tensors.size();
    m_launched = 0;
    m_thread.clear();
}

void BucketAggregator::ready(std::size_t tensor)
{
    const auto index = m_bucketOf[tensor];
    auto& bucket = m_buckets[index];
    place(bucket, tensor);
    if (--bucket.missing > 0)
        return;
    if (isLast(index) && m_testHooks.inLastHook)
        m_testHooks.inLastHook();
    if (m_overlapped)
        launch();
}

void BucketAggregator::place(Bucket& bucket, std::size_t tensor)
{
    auto& gradient = m_parameters[tensor].value.mutable_grad();
    if (!m_slots[tensor].defined()) {
        bucket.payload = numbersOf(gradient);
        return;
    }
    m_slots[tensor].copy_(gradient);
    gradient = m_slots[tensor];
}

void BucketAggregator::launch()
{
    for (; m_launched < m_buckets.size() && m_buckets[m_launched].missing == 0; ++m_launched)
        m_thread.push(static_cast<std::uint32_t>(m_launched), m_buckets[m_launched].payload);
}

Result<void> BucketAggregator::await(std::size_t tensor)
{
    launch();
    return m_thread.awaitCount(m_bucketOf[tensor] + 1);
}

Result<void> BucketAggregator::finish()
{
    launch();
    if (m_launched < m_buckets.size())
        return fail(ErrorCode::internal, fmt::format("Backward left bucket {} without a gradient.", m_launched));
    return m_thread.awaitCount(m_buckets.size());
}

} // namespace ringside
