// SPDX-License-Identifier: MIT
#include "agent/worker/train/calibrate.h"

#include "agent/rank/cores.h"
#include "agent/worker/calibrate/canary.h"
#include "agent/worker/calibrate/measuresite.h"
#include "agent/worker/collectives/fastertransport.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/device/device.h"
#include "agent/worker/train/engine.h"
#include "agent/worker/train/rank.h"
#include "agent/worker/train/trainreport.h"
#include "core/base/say.h"
#include "core/protocol/layout.h"
#include "core/protocol/levels.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside {

namespace {

/// Each step is an iteration: the runner sees progress, and an observer sees the duration of each step.
CalibrationProgress progressOf(Rank& rank)
{
    return {[&rank](Phase phase) { rank.clock().enter(phase); },
            [&rank](const std::string& line) {
                const auto iteration = rank.clock().turn();
                if (rank.clock().measures())
                    rank.recorder().add(sampleOf(iteration, Batch{}, {}, 0));
                if (rank.isFirst())
                    sayLine(line);
            }};
}

Outcome<int> calibrateOn(Rank& rank, const TrainRequest& request, const CalibrationTrial& trial)
{
    TRY_ASSIGN_AS(exitcode::kSettings, auto settings, readTrainSettings(request));
    if (auto started = rank.start(settings); !started)
        return tl::unexpected(started.error());
    if (isOnGpu(settings)) {
        TRY_ASSIGN_AS(exitcode::kSettings, settings.device,
                      openDevice(settings.device.type(), rank.communicator().localRank()));
    }
    startEngine(settings, rank.cores());
    TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, false));
    TRY_AS(exitcode::kPeerLost, rank.recordClock());
    TRY_ASSIGN_AS(exitcode::kPeerLost, Facts facts, gatherFacts(rank, settings.seed));
    TRY_ASSIGN_AS(exitcode::kPeerLost, auto hosts, hostsOf(rank.communicator()));
    const CalibrationPlace place{trial.hosts.empty() ? std::move(hosts) : trial.hosts,
                                 static_cast<int>(rank.cores().size()),
                                 settings.siteFolder,
                                 meansOf(settings.run.settings),
                                 settings.device,
                                 trial.longest};
    rank.clock().start();
    TRY_ASSIGN_AS(exitcode::kPeerLost, facts.calibration, measureSite(rank.communicator(), place, progressOf(rank)));
    TRY_AS(exitcode::kPeerLost, recordCanary(rank, settings, true));
    if (rank.isFirst())
        TRY_AS(exitcode::kSettings, writeFacts(settings, facts));
    return exitcode::kDone;
}

/// Returns it as an error of usage: this host lacks what was asked for.
Error asUsage(Error error)
{
    error.code = ErrorCode::usage;
    return error;
}

/// First of all, as openDevice has to be.
Result<c10::Device> deviceOf(const CalibrationMeans& means, int localRank)
{
    if (!means.withGpu())
        return c10::Device(c10::kCPU);
    TRY(cuda::gpuCount().map_error(asUsage));
    return openDevice(c10::kCUDA, localRank).map_error(asUsage);
}

/// By the means of a person's options, as a rank's by its settings.
Result<std::unique_ptr<Communicator>> communicatorOf(const CalibrationMeans& means)
{
    if (means.withGpu())
        static_cast<void>(loadTorchCuda()); // as Rank::start; openDevice reports why it cannot be loaded
    if (means.interface != kAnyInterface)
        TRY(useInterface(means.interface).map_error(asUsage));
    TRY_ASSIGN(auto communicator, makeCommunicator());
    const auto backend = static_cast<Backend>(std::ranges::find(kBackends, means.backend) - kBackends.begin());
    TRY(useBackend(backend, communicator));
    if (backend == Backend::automatic)
        TRY(takeFasterTransport(communicator));
    return communicator;
}

Result<void> calibrateAlone(Communicator& communicator, const CalibrateHere& options)
{
    TRY_ASSIGN(const c10::Device device, deviceOf(options.means, communicator.localRank()));
    const auto cores = coresOfRank(usableCores(), communicator.localRank(), options.coresPerRank);
    TRY(bindTo(cores));
    at::set_num_threads(static_cast<int>(cores.size()));
    TRY_ASSIGN(auto hosts, hostsOf(communicator));
    const bool speaks = communicator.rank() == 0;
    const CalibrationProgress progress{[](Phase) {},
                                       [speaks](const std::string& line) {
                                           if (speaks)
                                               sayErrorLine(line);
                                       }};
    const CalibrationPlace place{std::move(hosts), static_cast<int>(cores.size()), options.folder, options.means,
                                 device};
    TRY_ASSIGN(const auto found, measureSite(communicator, place, progress));
    if (speaks)
        sayLine(toJson(found).dump(2));
    return {};
}

Result<void> calibrateCaught(Communicator& communicator, const CalibrateHere& options)
{
    try {
        return calibrateAlone(communicator, options);
    } catch (const std::exception& error) {
        return tl::unexpected(failureOf(error).error);
    }
}

} // namespace

int calibrate(const TrainRequest& request, const CalibrationTrial& trial)
{
    Rank rank;
    try {
        const auto code = calibrateOn(rank, request, trial);
        return code ? rank.end(*code) : rank.end(code.error());
    } catch (const std::exception& error) { // libtorch reports by exceptions
        return rank.end(failureOf(error));
    }
}

int calibrate(const CalibrateHere& options)
{
    const auto communicator = communicatorOf(options.means);
    const auto done = communicator ? calibrateCaught(**communicator, options) : tl::unexpected(communicator.error());
    if (done)
        return exitcode::kDone;
    sayErrorLine(done.error().text());
    if (communicator && (*communicator)->worldSize() > 1)
        (*communicator)->abort(exitcode::kPeerLost);
    return done.error().code == ErrorCode::usage ? exitcode::kSettings : exitcode::kPeerLost;
}

Result<void> recordCanary(Rank& rank, const TrainSettings& settings, bool after)
{
    if (!rank.clock().measures() || !canaryIsWanted())
        return {};
    const CanaryPlace place{settings.siteFolder, rank.communicator().localRank() == 0};
    TRY_ASSIGN(const Canary canary, measureCanary(rank.communicator(), place, after));
    rank.recorder().add(canary);
    return {};
}

} // namespace ringside
