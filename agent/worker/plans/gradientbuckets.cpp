// SPDX-License-Identifier: MIT
#include "agent/worker/plans/gradientbuckets.h"

#include "agent/worker/plans/gradienthooks.h"

#include <ATen/ATen.h>

namespace ringside {

std::vector<TensorGroup> groupsOf(const AggregationPlan& plan, const std::vector<Parameter>& parameters)
{
    std::vector<std::uint64_t> bytes;
    for (const auto& parameter : parameters)
        bytes.push_back(parameter.value.nbytes());
    return groupTensors(plan, bytes);
}

GradientBuckets::GradientBuckets(const std::vector<TensorGroup>& groups, const std::vector<Parameter>& parameters,
                                 bool throughHost)
    : m_parameters(parameters)
    , m_stage(parameters.front().value.device(), throughHost)
    , m_bucketOf(parameters.size())
    , m_slots(parameters.size())
{
    for (const auto& group : groups)
        m_buckets.push_back(makeBucket(group));
}

GradientBuckets::Bucket GradientBuckets::makeBucket(std::vector<std::size_t> tensors)
{
    Bucket bucket{std::move(tensors), {}, {}, 0};
    std::int64_t total = 0;
    for (const auto tensor : bucket.tensors) {
        m_bucketOf[tensor] = m_buckets.size();
        total += m_parameters[tensor].value.numel();
    }
    if (bucket.tensors.size() == 1)
        return bucket;
    bucket.flat = at::zeros({total}, m_parameters[bucket.tensors.front()].value.device());
    std::int64_t offset = 0;
    for (const auto tensor : bucket.tensors) {
        const auto& value = m_parameters[tensor].value;
        m_slots[tensor] = bucket.flat.as_strided(value.sizes(), value.strides(), offset);
        offset += value.numel();
    }
    return bucket;
}

std::vector<std::size_t> GradientBuckets::numbers() const
{
    std::vector<std::size_t> numbers;
    for (const auto& bucket : m_buckets) {
        numbers.push_back(0);
        for (const auto tensor : bucket.tensors)
            numbers.back() += static_cast<std::size_t>(m_parameters[tensor].value.numel());
    }
    return numbers;
}

void GradientBuckets::clear()
{
    releaseGradients(m_parameters);
    for (auto& bucket : m_buckets)
        bucket.missing = bucket.tensors.size();
}

std::size_t GradientBuckets::place(std::size_t tensor)
{
    const auto index = m_bucketOf[tensor];
    auto& bucket = m_buckets[index];
    auto& gradient = m_parameters[tensor].value.mutable_grad();
    if (m_slots[tensor].defined()) {
        m_slots[tensor].copy_(gradient);
        gradient = m_slots[tensor];
    }
    if (--bucket.missing == 0)
        bucket.payload = m_stage.offer(index, bucket.flat.defined() ? bucket.flat : gradient);
    return index;
}

std::span<float> GradientBuckets::weights(std::size_t bucket)
{
    const at::NoGradGuard noGraph;
    const auto& tensors = m_buckets[bucket].tensors;
    if (tensors.size() == 1)
        return m_stage.fetch(bucket, m_parameters[tensors.front()].value);
    for (const auto tensor : tensors)
        m_slots[tensor].copy_(m_parameters[tensor].value);
    return m_stage.fetch(bucket, m_buckets[bucket].flat);
}

void GradientBuckets::takeWeights(const Layer& layer)
{
    const at::NoGradGuard noGraph;
    for (std::size_t i = 0; i < layer.parameters; ++i) {
        at::Tensor weights = m_parameters[layer.firstParameter + i].value;
        weights.copy_(weights.grad());
    }
}

} // namespace ringside
