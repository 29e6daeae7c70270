// SPDX-License-Identifier: MIT
// The end of an attempt whose runner died, from what its processes have left in its folder.
#pragma once

#include "agent/runner/verdict.h"
#include "core/base/files.h"

namespace ringside::runner {

/// Call once none of its processes is left. Only whether it is done says anything about the run: what its guards told
/// to end, they told because the runner was gone. Blocking; reads the spools of a system.
Verdict verdictOnLost(const CampaignPlan& plan, const RunSpec& run, const fs::path& attempt);

} // namespace ringside::runner
