// SPDX-License-Identifier: MIT
// `ringside-worker calibrate`: what this site can do (core/protocol/calibration.h), in about a minute.
#pragma once

#include "agent/worker/calibrate/rates.h"
#include "agent/worker/train/trainsettings.h"
#include "core/protocol/calibration.h"

namespace ringside {

class Rank;

/// Differences between a test and a site.
struct CalibrationTrial
{
    std::chrono::milliseconds longest = kMeasuring; ///< that a measurement is repeated for: no rate has to be right
    std::vector<std::string> hosts;                 ///< by rank; empty: those that they are on
};

/// As one rank of an attempt of a run whose engine is "calibration": a sample for each step, and facts.json with what
/// was found after the last one. Otherwise as train(); returns the exit code.
int calibrate(const TrainRequest& request, const CalibrationTrial& trial = {});

/// By hand, alone or below mpirun: JSON on rank 0's standard output, a line for each step on standard error.
struct CalibrateHere
{
    int coresPerRank = 1;
    fs::path folder; ///< where the disk is read; empty: it is not
    CalibrationMeans means = {};
};
int calibrate(const CalibrateHere& options);

/// Puts a canary into the spool unless that is turned off. Collective; about a second.
Result<void> recordCanary(Rank& rank, const TrainSettings& settings, bool after);

} // namespace ringside
