// SPDX-License-Identifier: MIT
// Finds lines that are missing among those that name only their last iteration: in steps that are otherwise constant.
// Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"

#include <vector>

namespace ringside::logs {

/// Adds a finding for each gap between records of a lane. Where a line names the first of its iterations, its gap is
/// found by that (measure.h), and not here.
void addGaps(const LogRun& run, std::vector<Finding>& findings);

} // namespace ringside::logs
