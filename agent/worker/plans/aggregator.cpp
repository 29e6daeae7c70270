// SPDX-License-Identifier: MIT
#include "agent/worker/plans/aggregator.h"

#include "agent/worker/plans/bucketaggregator.h"
#include "agent/worker/plans/exchange.h"

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

} // namespace

Result<std::unique_ptr<Aggregator>> makeAggregator(const AggregationPlan& plan,
                                                   const std::vector<Parameter>& parameters, Communicator& communicator,
                                                   AggregatorHooks hooks)
{
    if (communicator.worldSize() == 1)
        return std::make_unique<SingleRank>(parameters);
    TRY_ASSIGN(auto exchange, makeExchange(plan, communicator));
    return std::make_unique<BucketAggregator>(plan, parameters, communicator.worldSize(), std::move(exchange),
                                              std::move(hooks));
}

} // namespace ringside
