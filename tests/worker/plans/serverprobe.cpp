// SPDX-License-Identifier: MIT
// One process of the server test: weights after some iterations of a plan whose servers own the update, against those
// of one rank that trains with the joined batch and updates by itself. usage: serverprobe TRIAL … (trials.h), of plans
// with the same number of servers, which are the last processes, and of the model LeNet, or "wide" for a network with a
// tensor that is cut over several servers; off is the worst tensor (norm, relative to how far training has moved it).
// Exit code 0 if all trials' errors are allowed on this rank and communication was needed.
#include "agent/worker/endprocess.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/models/layers.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/plans/servers/shards.h"
#include "agent/worker/selftest/plangradients.h"
#include "tests/worker/plans/sentlog.h"
#include "tests/worker/plans/servedworld.h"
#include "tests/worker/plans/trials.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <map>

using namespace ringside;

namespace {

constexpr int kBatch = 4;
constexpr double kLocalDiffers = 1e-2;
constexpr OptimizerSettings kOptimizer{0.1, 0.9, 1e-3};

/// 3,072 × 513 weights between the pixels and a hidden layer: with its bias an odd number, so shards differ.
class Wide : public Model
{
public:
    explicit Wide(const ModelOptions& options)
        : m_classifier{*this, "fc2", kHidden, options.classes}
    {
    }
    at::Tensor forward(const at::Tensor& images) override { return m_classifier(m_hidden(images.flatten(1)).relu_()); }

private:
    static constexpr std::int64_t kHidden = 513, kPixels = 32 * 32;
    static_assert(kHidden * kPixels * kChannels >= std::int64_t{kCutNumbers});

    Linear m_hidden{*this, "fc1", kPixels* kChannels, kHidden};
    Linear m_classifier;
};

std::unique_ptr<Model> makeWide(const ModelOptions& options)
{
    return std::make_unique<Wide>(options);
}

const ModelEntry kWide{{"wide", "", 10, 0, 0, 0, ModelInput::pictures, 0}, makeWide};

using Weights = std::vector<at::Tensor>;

Weights weightsOf(Classifier& classifier)
{
    Weights weights;
    for (const auto& parameter : classifier.model().parameters())
        weights.push_back(parameter.value.detach().clone());
    return weights;
}

/// One rank by itself.
Weights trainedAlone(const TrainSettings& settings, int iterations)
{
    at::manual_seed(1); // the same first weights everywhere
    Classifier classifier(settings);
    Sgd optimizer(classifier.model().parameters(), kOptimizer);
    const auto source = openBatchSource(settings.data);
    for (int i = 0; i < iterations; ++i) {
        for (const auto& parameter : classifier.model().parameters())
            parameter.value.mutable_grad().reset();
        classifier.load((*source)->next().value());
        classifier.backward(classifier.forward(), 1);
        optimizer.step();
    }
    return weightsOf(classifier);
}

Result<Weights> trainedServed(const AggregationPlan& plan, const ModelEntry& model, const test::ServedWorld& processes,
                              int iterations)
{
    at::manual_seed(1);
    const auto settings = smallProblem(model, kBatch, processes.ranks->rank(), processes.ranks->worldSize());
    Classifier classifier(settings);
    const auto& parameters = classifier.model().parameters();
    const auto source = openBatchSource(settings.data);
    TRY_ASSIGN(const auto aggregator, makeAggregator({plan, parameters, *processes.ranks, processes.world.get()}));
    Sgd unused(parameters, kOptimizer); // were it used, a step more would show
    for (int i = 0; i < iterations; ++i) {
        classifier.load((*source)->next().value());
        const auto loss = classifier.forward();
        aggregator->begin();
        classifier.backward(loss, aggregator->gradientScale());
        TRY(aggregator->await(parameters.size() - 1));
        TRY(aggregator->finish());
        aggregator->update(unused, unused.all());
    }
    return weightsOf(classifier);
}

double worstDifference(const Weights& expected, const Weights& weights, const Weights& first)
{
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto error = (weights[i] - expected[i]).norm() / (expected[i] - first[i]).norm();
        worst = std::max(worst, error.item<double>());
    }
    return worst;
}

/// Weights of so many iterations of a model, as all ranks should have them.
struct Expected
{
    Weights first, weights;
    bool isCommunicationNeeded;

    Expected(const ModelEntry& model, int rank, int ranks, int iterations)
        : first(trainedAlone(smallProblem(model, kBatch, 0, 1), 0))
        , weights(trainedAlone(smallProblem(model, kBatch * ranks, 0, 1), iterations))
        , isCommunicationNeeded(
              ranks == 1 || worstDifference(weights, trainedAlone(smallProblem(model, kBatch, rank, ranks), iterations),
                                            first) >= kLocalDiffers)
    {
    }
};

int serve(const test::ServedWorld& processes, const test::Trials& trials)
{
    test::SentLog log(*processes.world);
    for (const test::Trial& trial : trials) {
        processes.serve(trial.plan, kOptimizer);
        processes.endPlan();
        log.endTrial();
    }
    return 0;
}

int train(const test::ServedWorld& processes, const test::Trials& trials)
{
    const int ranks = processes.training, rank = processes.ranks->rank();
    std::map<std::pair<std::string, int>, Expected> known;
    test::SentLog log(*processes.world);
    bool good = true;
    for (const auto& trial : trials) {
        const ModelEntry& model = trial.model == kWide.name ? kWide : *findModel("lenet");
        const auto& expected =
            known.try_emplace({trial.model, trial.iterations}, model, rank, ranks, trial.iterations).first->second;
        const auto weights = trainedServed(trial.plan, model, processes, trial.iterations);
        if (!weights)
            processes.giveUp(weights.error());
        processes.endPlan();
        log.endTrial();
        const double error = worstDifference(expected.weights, *weights, expected.first);
        if (trial.allows(error) && expected.isCommunicationNeeded)
            continue;
        fmt::print("rank {}: {} {}: relative error {:.1e}\n", rank, trial.model, trial.plan.name, error);
        good = false;
    }
    return good ? 0 : 1;
}

int exitCodeOf(std::span<char*> words)
{
    at::set_num_threads(1); // several processes share a core here, and threads that spin for one another starve
    const auto trials = test::trialsIn(words);
    const auto processes = trials.empty() ? std::nullopt : test::ServedWorld::join(trials.front().plan.serverRanks());
    if (!processes)
        return 2;
    return processes->isServer ? serve(*processes, trials) : train(*processes, trials);
}

} // namespace

int main(int argc, char** argv)
{
    endProcess(exitCodeOf(std::span(argv, static_cast<std::size_t>(argc))));
}
