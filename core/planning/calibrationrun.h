// SPDX-License-Identifier: MIT
// Plans a calibration of a site, for the window as for the command line: the experiment that is saved and launched for
// one more measurement of a shape, and which of its runs that measurement is.
#pragma once

#include "core/spec/calibration.h"
#include "core/store/rows.h"

#include <chrono>
#include <span>

namespace ringside {

struct CalibrationRun
{
    spec::Experiment experiment;
    int repeat = 1; ///< of the run that measures
};

/// About as long as a calibration takes once its job has begun; links between nodes that are slow take longer.
inline constexpr std::chrono::minutes kCalibrationTime{1};

/// `runs`: those of the site's experiment of calibrations, of any shape. One that never came to its end, cancelled or
/// lost with its node, is done again: a launch does it in any case. Else it is one more. Fails with usage where an
/// experiment that trains has this name, which would be replaced.
Result<CalibrationRun> nextCalibration(const std::string& site, const spec::CalibrationShape& shape,
                                       std::span<const store::RunRow> runs);

/// The one of `runs` that is under way there, or waits; nullptr: none.
const store::RunRow* unfinishedCalibration(const std::string& site, std::span<const store::RunRow> runs);

} // namespace ringside
