// SPDX-License-Identifier: MIT
// Everything that a calibration measures, step by step.
#pragma once

#include "agent/worker/calibrate/rates.h"
#include "agent/worker/collectives/communicator.h"
#include "core/base/files.h"
#include "core/protocol/calibration.h"
#include "core/protocol/sample.h"

#include <c10/core/Device.h>
#include <functional>

namespace ringside {

struct CalibrationPlace
{
    std::vector<std::string> hosts; ///< by rank
    int coresPerRank = 1;           ///< this process is bound to as many
    fs::path folder;                ///< where the disk is read; empty: it is not
    CalibrationMeans means = {};
    c10::Device device = c10::kCPU;                 ///< that of the means, opened
    std::chrono::milliseconds longest = kMeasuring; ///< that a measurement is repeated for
};

/// Called on every rank around each of the steps that the means have, those that have nothing to measure here among
/// them.
struct CalibrationProgress
{
    std::function<void(Phase)> begin;
    std::function<void(const std::string& line)> end; ///< what was found, for people; rank 0's is whole
};

/// Ten seconds to a minute, by the links. Rank 0's result counts: of several nodes it covers the links of its own. Sets
/// up libtorch's threads. Collective.
Result<Calibration> measureSite(Communicator& communicator, const CalibrationPlace& place,
                                const CalibrationProgress& progress);

} // namespace ringside
