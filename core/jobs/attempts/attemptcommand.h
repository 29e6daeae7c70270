// SPDX-License-Identifier: MIT
// The one definition of how an attempt is started. The runner executes it; the script that people see shows it.
#pragma once

#include "core/jobs/launcher.h"
#include "core/protocol/reason.h"

namespace ringside::jobs {

/// One process here is started directly, others by a launcher: ranks, then server ranks; each below a guard
/// (`ringside-agent rank`). Guards here are tied to the runner by a pipe, those on hosts by a file that all of them
/// see. Fails for a launcher that is not known, that cannot place the plan's servers, or that starts without MPI what
/// needs it.
OrReason<AttemptCommand> attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                                        const AttemptPlace& place);

} // namespace ringside::jobs
