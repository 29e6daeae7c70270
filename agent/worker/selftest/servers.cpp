// SPDX-License-Identifier: MIT
// A parameter server among the ranks of the self-test.
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/parameterserver.h"
#include "agent/worker/selftest/selftest.h"

#include <ATen/ATen.h>

namespace ringside {

namespace {

constexpr std::int64_t kCount = 1 << 20;
constexpr OptimizerSettings kDescent{0.5, 0, 0};
constexpr float kTolerance = 1e-6f;

AggregationPlan served()
{
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    return plan;
}

} // namespace

Result<bool> serverUpdates(Communicator& world)
{
    const int ranks = world.worldSize() - 1;
    const bool isServer = world.rank() == ranks;
    TRY_ASSIGN(const auto peers, world.split(isServer ? 1 : 0));
    if (isServer) {
        TRY_ASSIGN(const auto report, ParameterServer(served(), kDescent, world, ranks).serve());
        return report.updates == 1 && report.pushes == static_cast<std::uint64_t>(ranks);
    }
    const std::vector<Parameter> parameters{{"weights", at::ones({kCount}).set_requires_grad(true)}};
    TRY_ASSIGN(const auto aggregator, makeAggregator(served(), parameters, *peers, {}, &world));
    aggregator->begin();
    (parameters[0].value.sum() * aggregator->gradientScale()).backward();
    TRY(aggregator->finish());
    const bool isTaken = aggregator->takeWeights();
    const auto error = (parameters[0].value.detach() - 0.5f).abs().max().item<float>();
    return isTaken && error <= kTolerance;
}

} // namespace ringside
