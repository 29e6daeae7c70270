// SPDX-License-Identifier: MIT
// Checks of the measurements on a GPU.
#include "agent/gpuload/gpusampler.h"
#include "agent/worker/calibrate/gpurates.h"
#include "agent/worker/device/devicephases.h"
#include "agent/worker/models/layerclock.h"
#include "agent/worker/selftest/devicechecks.h"
#include "agent/worker/selftest/plangradients.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace ringside {

namespace {

constexpr int kBatch = 64;
constexpr int kIterations = 5;
/// Shares of the host's time. The time in no phase is the host's before it enqueues anything, and after the device is
/// done.
constexpr double kLeastPhaseShare = 0.7, kMostPhaseShare = 1.05;
constexpr double kLeastLayerShare = 0.1; // of both passes; a GPU waits longer for small kernels than it computes them
constexpr double kLeastCopyRate = 1e8;   // bytes/s

/// Iterations of LeNet as a run observes them.
struct Observed
{
    std::int64_t hostNs = 0;                     ///< of all, until the device has ended the last one
    std::vector<PhaseClock::Iteration> phases;   ///< by the device's events
    std::vector<LayerTiming> layers;             ///< of the last
    std::int64_t of(std::size_t iteration) const ///< both passes
    {
        const PhaseTimes& times = phases[iteration].phases;
        return times[static_cast<std::size_t>(Phase::forward)] + times[static_cast<std::size_t>(Phase::backward)];
    }
};

void passBoth(Classifier& classifier, PhaseClock& clock)
{
    clock.enter(Phase::forward);
    const at::Tensor loss = classifier.forward();
    clock.enter(Phase::backward);
    classifier.backward(loss, 1);
}

Observed observedOn(c10::Device device)
{
    TrainSettings settings = smallProblem(*findModel("lenet"), kBatch, 0, 1);
    settings.device = device;
    Classifier classifier(settings);
    classifier.moveTo(device);
    classifier.load((*openBatchSource(settings.data))->next().value());
    classifier.backward(classifier.forward(), 1); // libraries load their kernels
    PhaseClock clock;
    DevicePhases phases(device);
    LayerClock layers(classifier.model(), device);
    clock.add(phases);
    clock.start();
    Observed observed;
    const std::int64_t beginNs = monotonicNs();
    for (int i = 1; i < kIterations; ++i) {
        passBoth(classifier, clock);
        clock.turn();
    }
    layers.begin();
    const std::int64_t zeroNs = layers.zero();
    passBoth(classifier, clock);
    layers.end();
    clock.turn();
    for (int i = 0; i < kIterations; ++i)
        observed.phases.push_back(phases.read());
    observed.hostNs = monotonicNs() - beginNs;
    observed.layers = layers.timings(zeroNs);
    return observed;
}

} // namespace

CheckResult phasesOn(c10::Device device)
{
    const Observed observed = observedOn(device);
    std::int64_t sumNs = 0;
    bool touch = true;
    for (std::size_t i = 0; i < observed.phases.size(); ++i) {
        sumNs += observed.of(i);
        const auto& phases = observed.phases[i].phases;
        const auto endNs = std::accumulate(phases.begin(), phases.end(), observed.phases[i].startNs);
        touch = touch && (i + 1 == observed.phases.size() || endNs == observed.phases[i + 1].startNs);
    }
    const double share = static_cast<double>(sumNs) / static_cast<double>(observed.hostNs);
    return passedIf(touch && share >= kLeastPhaseShare && share <= kMostPhaseShare,
                    fmt::format("both passes are {:.0f} % of the host's time, {:.0f} to {:.0f}; iterations {}",
                                100 * share, 100 * kLeastPhaseShare, 100 * kMostPhaseShare,
                                touch ? "touch" : "DO NOT touch"));
}

CheckResult layersOn(c10::Device device)
{
    const Observed observed = observedOn(device);
    const auto lengthNs = static_cast<double>(observed.of(observed.phases.size() - 1));
    double sumNs = 0;
    bool areAll = true;
    for (const LayerTiming& layer : observed.layers) {
        sumNs += static_cast<double>(layer.forwardNs + layer.backwardNs);
        areAll = areAll && layer.forwardNs > 0 && layer.backwardNs > 0;
    }
    const double share = sumNs / lengthNs;
    return passedIf(areAll && share >= kLeastLayerShare && share <= 1,
                    fmt::format("{} layers take {:.0f} % of both passes, {:.0f} to 100", observed.layers.size(),
                                100 * share, 100 * kLeastLayerShare));
}

CheckResult copyRatesOn(c10::Device device)
{
    const double inside = deviceMemoryRate(device), there = toDeviceRate(device), back = toHostRate(device);
    return passedIf(std::min({inside, there, back}) >= kLeastCopyRate,
                    fmt::format("{:.1f} GB/s inside, {:.1f} to it, {:.1f} back, at least {:.1f}", inside / 1e9,
                                there / 1e9, back / 1e9, kLeastCopyRate / 1e9));
}

CheckResult loadOf(const std::string& pciBus)
{
    auto sampler = GpuSampler::open(pciBus);
    if (!sampler)
        return withoutIt(sampler.error());
    const GpuTelemetry load = sampler->sample();
    return passedIf(load.memoryBytes > 0 && load.memoryUsedBytes > 0,
                    fmt::format("{:.1f} of {:.1f} GB in use at {}, {:.0f} W; memory above 0",
                                static_cast<double>(load.memoryUsedBytes) / 1e9,
                                static_cast<double>(load.memoryBytes) / 1e9, pciBus,
                                static_cast<double>(load.powerMilliwatts) / 1e3));
}

} // namespace ringside
