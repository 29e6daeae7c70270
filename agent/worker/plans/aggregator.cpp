// SPDX-License-Identifier: MIT
#include "agent/worker/plans/aggregator.h"

#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/exchange.h"
#include "agent/worker/plans/fusionaggregator.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/priorityaggregator.h"
#include "agent/worker/plans/servedaggregator.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside {

namespace {

/// One rank: its gradient is the mean.
class SingleRank : public Aggregator
{
public:
    explicit SingleRank(const std::vector<Parameter>& parameters)
        : m_parameters(parameters)
    {
    }

    float gradientScale() const override { return 1; }
    void begin() override { releaseGradients(m_parameters); }
    void ready(std::size_t) override {}
    Result<void> await(std::size_t) override { return {}; }
    Result<void> finish() override { return {}; }
    const std::vector<BucketTiming>& timings() const override { return m_none; }

private:
    const std::vector<Parameter> m_parameters;
    const std::vector<BucketTiming> m_none;
};

template <class Part, std::size_t n> Result<void> require(Part part, const Part (&known)[n])
{
    if (std::ranges::find(known, part) != std::end(known))
        return {};
    return fail(ErrorCode::usage, fmt::format("This ringside-worker cannot carry out “{}”.", nameOf(part)),
                "See “plans” in what ringside-worker features prints, and choose another plan.");
}

} // namespace

Result<void> checkPlan(const AggregationPlan& plan)
{
    TRY(require(plan.collective, kEngineCollectives));
    TRY(require(plan.grouping, kEngineGroupings));
    TRY(require(plan.schedule, kEngineSchedules));
    if (auto why = whyNotComposed(plan))
        return tl::unexpected(std::move(*why));
    return {};
}

Result<std::unique_ptr<Aggregator>> makeAggregator(const AggregationPlan& plan,
                                                   const std::vector<Parameter>& parameters, Communicator& communicator,
                                                   AggregatorHooks hooks, Communicator* world,
                                                   const std::vector<TensorGroup>& merged)
{
    if (plan.serverRanks() > 0 && !world)
        return fail(ErrorCode::internal, "The servers of a plan are not among these ranks.");
    if (plan.serverRanks() > 0)
        return ServedAggregator::make(plan, parameters, communicator, *world, std::move(hooks));
    if (communicator.worldSize() == 1)
        return std::make_unique<SingleRank>(parameters);
    TRY_ASSIGN(auto exchange, makeExchange(plan, communicator, parameters.front().value.device()));
    if (plan.grouping == Grouping::fusion)
        return std::make_unique<FusionAggregator>(plan, parameters, communicator, std::move(exchange),
                                                  std::move(hooks));
    if (plan.schedule == Schedule::priority)
        return std::make_unique<PriorityAggregator>(plan, parameters, communicator, std::move(exchange),
                                                    std::move(hooks));
    if (plan.grouping == Grouping::optimal && merged.empty())
        return fail(ErrorCode::internal, "Nobody has decided which layers are merged.");
    return std::make_unique<BucketAggregator>(
        plan.schedule, plan.grouping == Grouping::optimal ? merged : groupsOf(plan, parameters), parameters,
        communicator.worldSize(), std::move(exchange), std::move(hooks));
}

} // namespace ringside
