// SPDX-License-Identifier: MIT
// Finds the calibration of a site that a run that merges layers goes by. Pure.
#pragma once

#include "core/protocol/plan.h"
#include "core/store/canaries.h"

#include <optional>
#include <vector>

namespace ringside {

/// Returns whether it needs a calibration for the cost of its messages: a plain float32 all-reduce, merged by that
/// cost.
bool wantsCalibration(const RunSpec& run);

/// The all-reduce of the calibration by as many ranks on as many nodes with as many cores, on the same device, by the
/// same backend and over the same network; nullopt where there is none that Ringside measured undisturbed.
/// `known`: of the run's site, newest first.
std::optional<CalibratedCost> costFor(const RunSpec& run, const std::vector<store::SiteCalibration>& known);

} // namespace ringside
