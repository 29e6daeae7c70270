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
constexpr double kTolerance = 1e-6;
constexpr int kSteps = 2;

AggregationPlan served(bool asynchronous)
{
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    plan.asynchronous = asynchronous;
    return plan;
}

Result<Deviation> serve(const AggregationPlan& plan, Communicator& world, int ranks)
{
    TRY_ASSIGN(const auto report, ParameterServer(plan, kDescent, world, ranks).serve());
    const auto pushes = static_cast<std::uint64_t>(kSteps * ranks);
    return exactly(report.pushes == pushes && report.updates == (plan.asynchronous ? pushes : kSteps));
}

/// Rank r has the gradient r + 1. Once all have pushed theirs, one of 0 brings the weights that all of them made.
Result<Deviation> train(const AggregationPlan& plan, Communicator& world, Communicator& ranks)
{
    const std::vector<Parameter> parameters{{"weights", at::ones({kCount}).set_requires_grad(true)}};
    const auto& weights = parameters[0].value;
    TRY_ASSIGN(const auto aggregator, makeAggregator(plan, parameters, ranks, {}, &world));
    bool isTaken = true;
    for (const int gradient : {ranks.rank() + 1, 0}) {
        TRY(ranks.barrier());
        aggregator->begin();
        (weights.sum() * gradient * aggregator->gradientScale()).backward();
        TRY(aggregator->finish());
        isTaken = aggregator->takeWeights() && isTaken;
    }
    const int n = ranks.worldSize(), steps = plan.asynchronous ? n : 1;
    const double expected = 1 - kDescent.learningRate * steps * (n + 1) / 2;
    return Deviation{(weights.detach() - expected).abs().max().item<double>() + (isTaken ? 0 : 1), {}};
}

Result<Deviation> serverUpdates(Communicator& world, bool asynchronous)
{
    const AggregationPlan plan = served(asynchronous);
    const int ranks = world.worldSize() - 1;
    const bool isServer = world.rank() == ranks;
    TRY_ASSIGN(const auto peers, world.split(isServer ? 1 : 0));
    return isServer ? serve(plan, world, ranks) : train(plan, world, *peers);
}

} // namespace

std::vector<RankCheck> serverChecks()
{
    return {{"a server's update, in step", kTolerance, [](Communicator& world) { return serverUpdates(world, false); }},
            {"a server's update, asynchronous", kTolerance,
             [](Communicator& world) { return serverUpdates(world, true); }}};
}

} // namespace ringside
