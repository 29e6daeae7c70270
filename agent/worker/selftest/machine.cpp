// SPDX-License-Identifier: MIT
// Timers, and what is measured of the machine and of layers.
#include "agent/rank/hostsampler.h"
#include "agent/worker/calibrate/coldfile.h"
#include "agent/worker/calibrate/rates.h"
#include "agent/worker/models/layerclock.h"
#include "agent/worker/selftest/plangradients.h"
#include "agent/worker/selftest/selftest.h"
#include "agent/worker/timing/stampcost.h"
#include "core/base/clock.h"
#include "core/base/privatefolder.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

namespace ringside {

namespace {

CheckResult clockResolution()
{
    const double resolution = measureStampCost().resolutionNs;
    return passedIf(resolution <= 1000, fmt::format("{:.0f} ns, at most 1000", resolution));
}

/// 0.5 % of an iteration of 10 ms over the 8 stamps of an iteration.
CheckResult stampCost()
{
    const double cost = measureStampCost().nsPerStamp;
    return passedIf(cost <= 6000, fmt::format("{:.0f} ns, at most 6000", cost));
}

/// Share of an iteration; the time outside layers, as poolings and the loss, is not in it.
constexpr double kLeastLayerShare = 0.3;

CheckResult layerTimes()
{
    const TrainSettings settings = smallProblem(*findModel("lenet"), 64, 0, 1);
    Classifier classifier(settings);
    const auto source = openBatchSource(settings.data);
    classifier.load((*source)->next().value());
    LayerClock clock(classifier.model());
    clock.begin();
    const std::int64_t beginNs = monotonicNs();
    classifier.backward(classifier.forward(), 1);
    const auto lengthNs = static_cast<double>(monotonicNs() - beginNs);
    clock.end();
    const auto layers = clock.timings(beginNs);
    double sumNs = 0;
    for (const LayerTiming& layer : layers)
        sumNs += static_cast<double>(layer.forwardNs + layer.backwardNs);
    const bool areAll =
        std::ranges::all_of(layers, [](const auto& layer) { return layer.forwardNs > 0 && layer.backwardNs > 0; });
    return passedIf(areAll && sumNs <= lengthNs && sumNs >= kLeastLayerShare * lengthNs,
                    fmt::format("{} layers take {:.0f} % of both passes, {:.0f} to 100", layers.size(),
                                100 * sumNs / lengthNs, 100 * kLeastLayerShare));
}

CheckResult matrixRate()
{
    constexpr double kLeast = 1e8;
    const double rate = gemmRate();
    return passedIf(rate >= kLeast, fmt::format("{:.1f} GFLOP/s, at least {:.1f}", rate / 1e9, kLeast / 1e9));
}

/// As calibration and the runs with a cold cache need it.
CheckResult coldReading()
{
    constexpr double kLeast = 0.9;
    const PrivateFolder folder;
    const auto file = folder.make().and_then([&] { return provideColdFile(folder.path()); });
    const auto read = file ? readCold(*file, std::chrono::seconds(10)) : tl::unexpected(file.error());
    if (!read)
        return failed(read.error());
    if (read->fromStorage == 0)
        return skipped(fmt::format("{} keeps files in memory, or does not say what it fetches",
                                   folder.path().parent_path().string()));
    return passedIf(read->fromStorage >= kLeast,
                    fmt::format("{:.0f} % came from the disk, at least {:.0f}", 100 * read->fromStorage, 100 * kLeast));
}

/// Processor time of this process, as the scheduler counts it.
std::int64_t processorNs()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// By which runs are found to be disturbed.
CheckResult processLoad()
{
    constexpr double kLeast = 0.5; // of what the process used: the kernel counts in ticks of 10 ms
    constexpr std::int64_t kSpinNs = 500'000'000, kLongestNs = 10'000'000'000;
    HostSampler sampler;
    const auto cores = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const std::int64_t beginNs = monotonicNs(), beginUsedNs = processorNs();
    while (processorNs() - beginUsedNs < kSpinNs && monotonicNs() - beginNs < kLongestNs)
        ;
    const auto had = static_cast<double>(processorNs() - beginUsedNs) / static_cast<double>(monotonicNs() - beginNs);
    const Telemetry load = sampler.sample();
    const double seen = load.ownCpuShare * cores;
    return passedIf(seen >= kLeast * had && load.memoryBytes > 0,
                    fmt::format("a thread that spins had {:.2f} cores and is seen on {:.2f}, at least half of them; "
                                "{:.0f} MB of memory",
                                had, seen, static_cast<double>(load.memoryBytes) / 1e6));
}

} // namespace

std::vector<Check> measuringChecks()
{
    return {{"resolution of the monotonic clock", clockResolution},
            {"cost of a stamp", stampCost},
            {"times of layers", layerTimes},
            {"load of this process", processLoad},
            {"matrix products", matrixRate},
            {"reading past the page cache", coldReading}};
}

} // namespace ringside
