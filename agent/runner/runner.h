// SPDX-License-Identifier: MIT
// Carries out one campaign unattended (`ringside-agent run CAMPAIGN_DIR`).
#pragma once

#include "agent/runner/limits.h"
#include "core/base/error.h"
#include "core/base/files.h"

namespace ringside::runner {

enum class RunnerEnd
{
    campaignOver, ///< every run of the plan has an end, or the campaign was cancelled, or its time is up
    toldToEnd,    ///< SIGTERM: the campaign goes on when a runner is started again
};

/// Blocking, as long as the campaign lasts. Messages for people go to standard error. Handles all signals and children
/// of this process, so it must be the only work of the process. Fails with busy if another runner holds the lease, and
/// with io or noSpace if the journal or an attempt's folders, that for temporary files among them, cannot be written
/// for Limits::journal: a later runner continues from the records; with notFound if the campaign's folder or plan is
/// removed meanwhile.
Result<RunnerEnd> runCampaign(const fs::path& campaign, const fs::path& agent, const Limits& limits);

} // namespace ringside::runner
