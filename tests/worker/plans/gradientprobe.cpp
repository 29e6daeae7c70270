// SPDX-License-Identifier: MIT
// One rank of the gradient test: gradients of all ranks by a plan against those of one rank with the joined batch.
// usage: gradientprobe PLAN TOLERANCE: plan.json's words for a plan, and how far the worst tensor may be off (relative
// norm). Exit code 0 if they agree on this rank and communication was needed.
#include "agent/worker/classifier.h"
#include "agent/worker/plans/aggregator.h"

#include <ATen/ATen.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace ringside;

namespace {

constexpr int kBatch = 4;
constexpr int kImage = 32;
constexpr int kIterations = 3; // buckets are used again
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

double worstDifference(const AggregationPlan& plan, Communicator& communicator, const std::vector<at::Tensor>& joined)
{
    const auto settings = settingsOf(kBatch, communicator.rank(), communicator.worldSize());
    Classifier classifier(settings);
    const auto source = openBatchSource(settings.data);
    const auto& parameters = classifier.model().parameters();
    const auto made = makeAggregator(plan, parameters, communicator);
    if (!made)
        return 1;
    const auto& aggregator = *made;
    double worst = 0;
    for (int i = 0; i < kIterations; ++i) {
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
    if (argc != 3)
        return 2;
    const auto plan = aggregationPlanFromJson(nlohmann::json::parse(argv[1]));
    const auto communicator = makeCommunicator();
    if (!plan || !communicator || (*communicator)->worldSize() < 2)
        return 2;
    const auto joined = gradients(settingsOf(kBatch * (*communicator)->worldSize(), 0, 1));
    const double error = worstDifference(*plan, **communicator, joined);
    const double local = localDifference(**communicator, joined);
    fmt::print("rank {}: relative error {:.1e}, without communication {:.1e}\n", (*communicator)->rank(), error, local);
    return error <= std::atof(argv[2]) && local >= kLocalDiffers ? 0 : 1;
}
