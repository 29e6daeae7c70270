// SPDX-License-Identifier: MIT
// Parameter servers among the ranks of the self-test.
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/servers/parameterserver.h"
#include "agent/worker/selftest/selftest.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace ringside {

namespace {

constexpr std::int64_t kCount = 1 << 20; ///< beyond kCutNumbers: two servers hold a part each
constexpr OptimizerSettings kDescent{0.5, 0, 0};
constexpr double kTolerance = 1e-6;
constexpr int kSteps = 2;
constexpr int kNumbers = 7; ///< different ones, which 16 bits hold: who mixes parts up has wrong weights

AggregationPlan served(int servers)
{
    AggregationPlan plan;
    plan.collective = Collective::parameterServer;
    plan.servers = servers;
    return plan;
}

AggregationPlan asynchronous()
{
    AggregationPlan plan = served(1);
    plan.asynchronous = true;
    return plan;
}

AggregationPlan halved()
{
    AggregationPlan plan = served(2);
    plan.schedule = Schedule::overlapped;
    plan.compression = Compression::fp16;
    return plan;
}

/// In chunks that are each of one server.
AggregationPlan chunked()
{
    AggregationPlan plan = served(2);
    plan.grouping = Grouping::perTensor;
    plan.schedule = Schedule::priority;
    plan.chunkBytes = 1 << 20;
    return plan;
}

Result<Deviation> serve(const AggregationPlan& plan, Communicator& world, int ranks)
{
    TRY_ASSIGN(const auto report, ParameterServer(plan, kDescent, world, ranks).serve());
    const auto pushes = report.shards * static_cast<std::uint64_t>(kSteps * ranks);
    return exactly(report.shards > 0 && report.pushes == pushes &&
                   report.updates == (plan.asynchronous ? pushes : report.shards * kSteps));
}

/// Rank r has the gradient (r + 1) · (0, 1, 2 …). Once all have pushed theirs, one of 0 brings the weights that all of
/// them made.
Result<Deviation> train(const AggregationPlan& plan, Communicator& world, Communicator& ranks)
{
    const std::vector<Parameter> parameters{{"weights", at::ones({kCount}).set_requires_grad(true)}};
    const auto& weights = parameters[0].value;
    const at::Tensor numbers = at::arange(kCount, at::kFloat).remainder(kNumbers);
    TRY_ASSIGN(const auto aggregator, makeAggregator({plan, parameters, ranks, &world}));
    Sgd unused(parameters, kDescent); // were it used, a step more would show
    for (const int gradient : {ranks.rank() + 1, 0}) {
        TRY(ranks.barrier());
        aggregator->begin();
        ((weights * numbers).sum() * gradient * aggregator->gradientScale()).backward();
        TRY(aggregator->finish());
        aggregator->update(unused, unused.all());
    }
    const int n = ranks.worldSize(), steps = plan.asynchronous ? n : 1;
    const at::Tensor expected = 1 - numbers * (kDescent.learningRate * steps * (n + 1) / 2);
    return Deviation{(weights.detach() - expected).abs().max().item<double>()};
}

/// Two ranks have room for one server.
Result<Deviation> serverUpdates(Communicator& world, AggregationPlan plan)
{
    plan.servers = std::min(plan.servers, world.worldSize() - 1);
    const int ranks = world.worldSize() - plan.servers;
    const bool isServer = world.rank() >= ranks;
    TRY_ASSIGN(const auto peers, world.split(isServer ? 1 : 0));
    return isServer ? serve(plan, world, ranks) : train(plan, world, *peers);
}

RankCheck checkOf(const char* name, AggregationPlan plan)
{
    return {name, kTolerance, [plan](Communicator& world) { return serverUpdates(world, plan); }};
}

} // namespace

std::vector<RankCheck> serverChecks()
{
    return {checkOf("a server's update, in step", served(1)),
            checkOf("a server's update, asynchronous", asynchronous()),
            checkOf("weights cut over two servers", served(2)),
            checkOf("weights cut over two servers, overlapped as fp16", halved()),
            checkOf("chunks of two servers, by priority", chunked())};
}

} // namespace ringside
