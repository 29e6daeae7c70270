// SPDX-License-Identifier: MIT
#include "agent/worker/plans/fusionaggregator.h"

#include "agent/worker/plans/aggregatorkinds.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace ringside {

namespace {

AgreeingThread::Choose fuseBy(const AggregationPlan& plan, const std::vector<Parameter>& parameters)
{
    std::vector<std::uint64_t> bytes;
    for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter)
        bytes.push_back(parameter->value.nbytes());
    return [bytes, threshold = plan.fusionThresholdBytes](const AgreeingThread::Units& ready) {
        return fuse(ready, bytes, threshold);
    };
}

/// Of a message of several tensors.
std::size_t mostFused(const AggregationPlan& plan, const std::vector<Parameter>& parameters)
{
    std::uint64_t all = 0;
    for (const Parameter& parameter : parameters)
        all += parameter.value.nbytes();
    return std::min(all, plan.fusionThresholdBytes) / sizeof(float);
}

} // namespace

std::vector<AgreeingThread::Units> fuse(const AgreeingThread::Units& ready, const std::vector<std::uint64_t>& bytes,
                                        std::uint64_t threshold)
{
    std::vector<AgreeingThread::Units> messages;
    std::uint64_t filled = 0;
    for (const auto unit : ready) {
        if (messages.empty() || filled + bytes[unit] > threshold) {
            messages.emplace_back();
            filled = 0;
        }
        messages.back().push_back(unit);
        filled += bytes[unit];
    }
    return messages;
}

FusionAggregator::FusionAggregator(const AggregationPlan& plan, const std::vector<Parameter>& parameters,
                                   Communicator& communicator, std::unique_ptr<Exchange> exchange,
                                   AggregatorHooks hooks)
    : m_parameters(parameters)
    , m_scale(1.0f / static_cast<float>(communicator.worldSize()))
    , m_testHooks(std::move(hooks))
    , m_stage(parameters.front().value.device(), !exchange->takesGpuMemory())
    , m_exchange(std::move(exchange))
    , m_thread(communicator, *m_exchange, parameters.size(), std::chrono::microseconds(plan.fusionCycleUs),
               fuseBy(plan, parameters), m_testHooks.beforeEach(),
               FusionBuffer(m_stage.payloadDevice(), mostFused(plan, parameters)))
    , m_hooks(m_parameters, *this)
{
    std::size_t largest = mostFused(plan, parameters);
    for (const Parameter& parameter : parameters)
        largest = std::max(largest, static_cast<std::size_t>(parameter.value.numel()));
    m_exchange->reserve(largest);
}

void FusionAggregator::begin()
{
    releaseGradients(m_parameters);
    m_missing = m_parameters.size();
    m_thread.begin();
}

void FusionAggregator::ready(std::size_t tensor)
{
    --m_missing;
    if (m_missing == 0 && m_testHooks.inLastHook)
        m_testHooks.inLastHook();
    m_thread.offer(unitOf(tensor), m_stage.offer(unitOf(tensor), m_parameters[tensor].value.mutable_grad()));
}

Result<void> FusionAggregator::await(std::size_t tensor)
{
    TRY(m_thread.awaitUnit(unitOf(tensor)));
    m_stage.takeBack(unitOf(tensor));
    return {};
}

Result<void> FusionAggregator::finish()
{
    if (m_missing > 0)
        return fail(ErrorCode::internal, fmt::format("Backward left {} tensors without a gradient.", m_missing));
    TRY(m_thread.awaitAll());
    m_stage.takeBackAll();
    return {};
}

namespace {

bool isFused(const Aggregation& aggregation)
{
    return aggregation.plan.grouping == Grouping::fusion;
}

Result<std::unique_ptr<Aggregator>> makeFused(const Aggregation& aggregation)
{
    TRY_ASSIGN(auto exchange, exchangeOf(aggregation));
    return std::make_unique<FusionAggregator>(aggregation.plan, aggregation.parameters, aggregation.ranks,
                                              std::move(exchange), aggregation.hooks);
}

} // namespace

const AggregatorKind kFused{isFused, makeFused};

} // namespace ringside
