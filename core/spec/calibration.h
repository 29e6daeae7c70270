// SPDX-License-Identifier: MIT
// Calibrating a site is a campaign like any other: an experiment of one configuration whose engine is "calibration".
#pragma once

#include "core/protocol/calibration.h"
#include "core/spec/experiment.h"

namespace ringside::spec {

/// Ranks that are to be calibrated; each shape has a calibration of its own.
struct CalibrationShape
{
    int nodes = 1;
    int ranksPerNode = 2;
    int coresPerRank = 1;
    CalibrationMeans means = {};
};

/// Name of the experiment that holds the calibrations of a site: "calibration-alder".
std::string calibrationName(const std::string& site);
/// Returns whether that is the name of this experiment.
bool isCalibration(const std::string& experiment, const std::string& site);

/// `repeat` counts the calibrations of this shape there, this one included.
Experiment calibrationExperiment(const std::string& site, const CalibrationShape& shape, int repeat);

/// Returns whether these settings are of a calibration of this shape.
bool hasShape(const Settings& settings, const CalibrationShape& shape);

} // namespace ringside::spec
