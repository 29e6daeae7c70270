// SPDX-License-Identifier: MIT
// One rank of a small problem: LeNet learns one batch a rank by heart.
// usage: convergeprobe PLAN ITERATIONS BOUND. Exit code 0 if the loss of this rank's batch, which all ranks' gradients
// have served, is at the end below BOUND times what it was at first. The last processes are the plan's servers.
#include "agent/worker/classifier.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/sgd.h"
#include "tests/worker/plans/servedworld.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace ringside;

namespace {

constexpr int kBatch = 8;
constexpr OptimizerSettings kOptimizer{0.01, 0.5, 0};

/// First and last loss.
Result<std::pair<float, float>> learn(const AggregationPlan& plan, const test::ServedWorld& processes, int iterations)
{
    const auto settings =
        smallProblem(*findModel("lenet"), kBatch, processes.ranks->rank(), processes.ranks->worldSize());
    Classifier classifier(settings);
    const auto& parameters = classifier.model().parameters();
    Sgd optimizer(parameters, kOptimizer);
    TRY_ASSIGN(const auto aggregator, makeAggregator(plan, parameters, *processes.ranks, {}, processes.world.get()));
    TRY_ASSIGN(const auto source, openBatchSource(settings.data));
    classifier.load(source->next().value());
    std::pair<float, float> losses;
    for (int i = 0; i < iterations; ++i) {
        const auto loss = classifier.forward();
        losses.second = loss.item<float>();
        if (i == 0)
            losses.first = losses.second;
        aggregator->begin();
        classifier.backward(loss, aggregator->gradientScale());
        TRY(aggregator->finish());
        if (!aggregator->takeWeights())
            optimizer.step();
    }
    return losses;
}

} // namespace

int main(int argc, char** argv)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    if (argc != 4)
        return 2;
    at::manual_seed(1); // the same weights on all ranks
    const auto plan = aggregationPlanFromJson(nlohmann::json::parse(argv[1]));
    const auto processes = plan ? test::ServedWorld::join(plan->serverRanks()) : std::nullopt;
    if (!processes || processes->world->worldSize() < 2)
        return 2;
    if (processes->isServer) {
        processes->serve(*plan, kOptimizer);
        return 0;
    }
    const auto losses = learn(*plan, *processes, std::atoi(argv[2]));
    if (!losses)
        processes->giveUp(losses.error());
    if (losses->second < std::atof(argv[3]) * losses->first)
        return 0;
    fmt::print("rank {}: loss {:.3f}, at last {:.4f}\n", processes->ranks->rank(), losses->first, losses->second);
    return 1;
}
