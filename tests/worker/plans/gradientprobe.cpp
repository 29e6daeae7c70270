// SPDX-License-Identifier: MIT
// One rank of the gradient test: gradients of all ranks by a plan against those of one rank with the joined batch.
// usage: gradientprobe ITERATIONS TOLERANCE PLAN …: how far the worst tensor may be off (relative norm), and
// plan.json's words for plans. Exit code 0 if they agree on this rank and communication was needed.
#include "agent/worker/classifier.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/merging.h"
#include "core/model/costfit.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

using namespace ringside;

namespace {

constexpr int kBatch = 4;
constexpr int kImage = 32;
constexpr double kLocalDiffers = 1e-2;

TrainSettings settingsOf(int batch, int rank, int worldSize)
{
    TrainSettings settings;
    settings.model = findModel("lenet");
    settings.modelOptions.classes = settings.model->classes;
    settings.batch = batch;
    settings.imageSize = kImage;
    settings.data.batch = batch;
    settings.data.imageSize = kImage;
    settings.data.classes = static_cast<int>(settings.model->classes);
    settings.data.rank = rank;
    settings.data.worldSize = worldSize;
    return settings;
}

/// Gradients of one rank by itself.
std::vector<at::Tensor> gradients(const TrainSettings& settings)
{
    Classifier classifier(settings);
    const auto source = openBatchSource(settings.data);
    classifier.load((*source)->next().value());
    classifier.backward(classifier.forward(), 1);
    std::vector<at::Tensor> all;
    for (const auto& parameter : classifier.model().parameters())
        all.push_back(parameter.value.grad().clone());
    return all;
}

double difference(const std::vector<at::Tensor>& expected, const std::vector<Parameter>& parameters)
{
    double worst = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto error = (parameters[i].value.grad() - expected[i]).norm() / expected[i].norm();
        worst = std::max(worst, error.item<double>());
    }
    return worst;
}

/// Groups by the times measured here and this cost; none for other groupings. Nullopt if they are not what the rule
/// makes of these times, or not of all tensors.
std::optional<std::vector<TensorGroup>> merge(const AggregationPlan& plan, Classifier& classifier,
                                              Communicator& communicator)
{
    if (plan.grouping != Grouping::optimal)
        return std::vector<TensorGroup>{};
    const std::vector<CostSegment> cost{{1u << 30, 50e-6, 1e-9}};
    const auto merging = mergeLayers(classifier, communicator, cost);
    const auto costOf = [&](std::uint64_t bytes) { return model::secondsFor(cost, bytes); };
    if (!merging || merging->groups != model::bestGroups(merging->ready, costOf) || merging->ready.front().readyAt <= 0)
        return std::nullopt;
    std::size_t tensors = 0;
    for (const TensorGroup& group : merging->tensors)
        tensors += group.size();
    return tensors == classifier.model().parameters().size() ? std::optional(merging->tensors) : std::nullopt;
}

double worstDifference(const AggregationPlan& plan, Communicator& communicator, const std::vector<at::Tensor>& joined,
                       int iterations)
{
    const auto settings = settingsOf(kBatch, communicator.rank(), communicator.worldSize());
    Classifier classifier(settings);
    const auto source = openBatchSource(settings.data);
    const auto& parameters = classifier.model().parameters();
    const auto merged = merge(plan, classifier, communicator);
    if (!merged)
        return 1;
    const auto made = makeAggregator(plan, parameters, communicator, {}, nullptr, *merged);
    if (!made)
        return 1;
    const auto& aggregator = *made;
    double worst = 0;
    for (int i = 0; i < iterations; ++i) {
        classifier.load((*source)->next().value());
        const auto loss = classifier.forward();
        aggregator->begin();
        classifier.backward(loss, aggregator->gradientScale());
        if (!aggregator->await(parameters.size() - 1) || !aggregator->finish())
            return 1;
        worst = std::max(worst, difference(joined, parameters));
    }
    return worst;
}

/// How far this rank's own gradient is from the joint one: large, or the test would pass without communication.
double localDifference(const Communicator& communicator, const std::vector<at::Tensor>& joined)
{
    const auto own = gradients(settingsOf(kBatch, communicator.rank(), communicator.worldSize()));
    double largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
        largest = std::max(largest, ((own[i] - joined[i]).norm() / joined[i].norm()).item<double>());
    return largest;
}

} // namespace

int main(int argc, char** argv)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto communicator = makeCommunicator();
    if (argc < 4 || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    const auto joined = gradients(settingsOf(kBatch * (*communicator)->worldSize(), 0, 1));
    bool good = localDifference(**communicator, joined) >= kLocalDiffers;
    for (int i = 3; i < argc; ++i) {
        const auto plan = aggregationPlanFromJson(nlohmann::json::parse(argv[i]));
        if (!plan)
            return 2;
        const double error = worstDifference(*plan, **communicator, joined, std::atoi(argv[1]));
        if (error <= std::atof(argv[2]))
            continue;
        fmt::print("rank {}: {}: relative error {:.1e}\n", (*communicator)->rank(), plan->name, error);
        good = false;
    }
    return good ? 0 : 1;
}
