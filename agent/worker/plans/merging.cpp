// SPDX-License-Identifier: MIT
#include "agent/worker/plans/merging.h"

#include "agent/worker/collectives/repeat.h"
#include "agent/worker/models/layerclock.h"
#include "agent/worker/plans/gradienthooks.h"
#include "agent/worker/plans/messagecost.h"
#include "core/base/clock.h"
#include "core/model/costfit.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <fmt/ranges.h>
#include <numeric>

namespace ringside {

namespace {

constexpr std::size_t kMostPasses = 5;
constexpr std::int64_t kPatienceNs = 10'000'000'000; ///< after so long there is no further pass

/// By layer: since backward began, its last gradient was there.
std::vector<double> timePass(Classifier& classifier, LayerClock& clock)
{
    releaseGradients(classifier.model().parameters());
    clock.begin();
    const auto loss = classifier.forward();
    const auto beganNs = clock.zero();
    classifier.backward(loss, 1);
    clock.end();
    std::vector<double> ready;
    for (const LayerTiming& layer : clock.timings(beganNs))
        ready.push_back(static_cast<double>(layer.readyNs) / 1e9);
    return ready;
}

/// Median over the passes.
std::vector<double> timeLayers(Classifier& classifier)
{
    auto random = at::globalContext().defaultGenerator(classifier.device()); // dropout draws from it
    const auto state = random.get_state();
    LayerClock clock(classifier.model(), classifier.device());
    std::vector<std::vector<double>> passes;
    const auto beganNs = monotonicNs();
    while (passes.empty() || (passes.size() < kMostPasses && monotonicNs() - beganNs < kPatienceNs))
        passes.push_back(timePass(classifier, clock));
    if (passes.size() > 1)
        passes.erase(passes.begin()); // it had memory to get
    random.set_state(state);
    releaseGradients(classifier.model().parameters());
    std::vector<double> ready;
    for (std::size_t layer = 0; layer < passes.front().size(); ++layer) {
        std::vector<double> times;
        for (const auto& pass : passes)
            times.push_back(pass[layer]);
        ready.push_back(median(std::move(times)));
    }
    return ready;
}

Result<std::vector<double>> meanOverRanks(const std::vector<double>& mine, Communicator& communicator)
{
    std::vector<float> sums(mine.begin(), mine.end());
    TRY(communicator.allReduceSum(std::span(sums)));
    std::vector<double> mean;
    for (const float sum : sums)
        mean.push_back(static_cast<double>(sum) / communicator.worldSize());
    return mean;
}

/// A message takes layers in their order, so one that backward reaches early waits for those behind it.
std::vector<model::ReadyGradient> inOrder(const std::vector<double>& ready, const Model& network)
{
    std::vector<model::ReadyGradient> gradients;
    double latest = 0;
    for (std::size_t layer = ready.size(); layer-- > 0;) {
        latest = std::max(latest, ready[layer]);
        gradients.push_back({latest, static_cast<std::uint64_t>(network.gradientBytes(network.layers()[layer]))});
    }
    return gradients;
}

/// Rank 0's: times that are alike but for a bit must not lead to other groups.
Result<model::Groups> ofFirstRank(const model::Groups& groups, std::size_t layers, Communicator& communicator)
{
    std::vector<std::uint64_t> sizes(layers);
    std::ranges::copy(groups, sizes.begin());
    TRY(communicator.broadcast(std::as_writable_bytes(std::span(sizes)), 0));
    std::erase(sizes, 0u);
    if (std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) != layers)
        return fail(ErrorCode::internal, "The groups of rank 0 are not of this model's layers.");
    return model::Groups(sizes.begin(), sizes.end());
}

model::MessageCost costBy(const std::vector<CostSegment>& segments)
{
    return [&segments](std::uint64_t bytes) { return model::secondsFor(segments, bytes); };
}

std::string describe(const CostSegment& segment)
{
    return fmt::format("{:.1f} µs + {:.4f} ns/B up to {} B", segment.latency * 1e6, segment.perByte * 1e9,
                       segment.upTo);
}

} // namespace

std::vector<TensorGroup> tensorsOf(const model::Groups& groups, const std::vector<Layer>& layers)
{
    std::vector<TensorGroup> all;
    auto layer = layers.rbegin();
    for (const std::size_t count : groups) {
        TensorGroup& group = all.emplace_back();
        for (std::size_t i = 0; i < count; ++i, ++layer)
            for (std::size_t tensor = layer->parameters; tensor-- > 0;)
                group.push_back(layer->firstParameter + tensor);
    }
    return all;
}

std::map<std::string, std::string> Merging::facts() const
{
    std::vector<std::string> pieces;
    for (const CostSegment& segment : cost)
        pieces.push_back(describe(segment));
    const double exposed = model::exchangeOf(ready, groups, costBy(cost)).exposed;
    return {{"plan_groups", fmt::format("{} layers, the last first: {}", ready.size(), fmt::join(groups, " + "))},
            {"plan_message_cost", fmt::format("{}", fmt::join(pieces, "; "))},
            {"plan_exposed_ms", fmt::format("{:.3f}", exposed * 1e3)}};
}

Result<Merging> mergeLayers(Classifier& classifier, Communicator& communicator, std::vector<CostSegment> cost,
                            model::MergeRule rule)
{
    const Model& network = classifier.model();
    TRY_ASSIGN(const auto ready, meanOverRanks(timeLayers(classifier), communicator));
    Merging merging{inOrder(ready, network), std::move(cost), {}, {}};
    const auto groups = rule(merging.ready, costBy(merging.cost));
    TRY_ASSIGN(merging.groups, ofFirstRank(groups, ready.size(), communicator));
    merging.tensors = tensorsOf(merging.groups, network.layers());
    return merging;
}

Result<Preparation> preparePlan(const RunSpec& run, Classifier& classifier, Communicator& communicator)
{
    if (!run.plan.mergesLayers() || communicator.worldSize() == 1)
        return Preparation{};
    const auto largest = static_cast<std::uint64_t>(classifier.model().gradientBytes());
    TRY_ASSIGN(const MessageCost cost, findMessageCost(run, communicator, largest, classifier.device()));
    TRY_ASSIGN(Merging merging,
               mergeLayers(classifier, communicator, cost.segments, model::mergeRuleOf(run.plan.grouping)));
    Preparation preparation{std::move(merging.tensors), merging.facts()};
    preparation.facts["plan_message_cost_source"] = cost.source;
    return preparation;
}

} // namespace ringside
