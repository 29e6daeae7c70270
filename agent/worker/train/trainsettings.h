// SPDX-License-Identifier: MIT
// A run's settings for the engine, typed and checked.
#pragma once

#include "agent/worker/cuda/nccl.h"
#include "agent/worker/device/device.h"
#include "agent/worker/device/devicegraph.h"
#include "agent/worker/models/classifier.h"
#include "agent/worker/models/sgd.h"
#include "core/protocol/plan.h"

namespace ringside {

/// The settings of the command line.
struct TrainRequest
{
    fs::path planFile;
    std::string run;                  ///< UUID
    fs::path attempt;                 ///< folder "attempt-k", made by the runner
    std::vector<std::string> delays;  ///< tests
    c10::DeviceType gpu = c10::kCUDA; ///< what device “cuda” is; a test has another, and graphs of its own
    std::function<Result<std::unique_ptr<DeviceGraph>>()> makeGraph = makeCudaGraph;
};

struct TrainSettings : ProblemSettings
{
    RunSpec run;
    fs::path attempt;
    std::uint32_t attemptNumber = 1;
    int coresPerRank = 1;
    c10::Device device = c10::kCPU; ///< that the model is on; a GPU has its index once the ranks have met
    MathSwitches math;              ///< of GPUs
    bool cudaGraph = false;
    bool serialised = false; ///< the device is waited for at every border of phases
    Backend backend = Backend::launcher;
    std::string interface; ///< of the network over which ranks talk; empty: any
    OptimizerSettings optimizer;
    fs::path siteFolder; ///< for data of Ringside's own, on the site; may be empty
    DataSettings data;   ///< rank and world size are not yet filled in
};

/// "images of 224 pixels", "sequences of 256 tokens".
std::string itemsText(const TrainSettings& settings);

inline bool isOnGpu(const TrainSettings& settings)
{
    return !settings.device.is_cpu();
}

/// Reads the plan, finds the run and checks its settings; every error names the setting. Blocking.
Result<TrainSettings> readTrainSettings(const TrainRequest& request);

} // namespace ringside
