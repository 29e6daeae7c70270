// SPDX-License-Identifier: MIT
// Runs that go on from an earlier one, as far as its iterations are in their rates. Pure. Internal to core/logs.
#pragma once

#include "core/logs/content.h"

#include <vector>

namespace ringside::logs {

/// Leaves the iterations of an earlier run out of the rates of records that are about the whole run.
void leaveOutEarlier(LogRun& run, std::vector<Finding>& findings);

} // namespace ringside::logs
