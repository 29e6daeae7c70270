// SPDX-License-Identifier: MIT
// The script of a campaign as people see it: what really is run, word by word. Pure text; nothing is started here.
#pragma once

#include "core/base/error.h"
#include "core/jobs/attempts/attemptcommand.h"

#include <string>

namespace ringside::jobs {

/// For this computer: a sh script with the command lines that the runner executes for the first attempt of every run.
/// It can be run by hand; the runner adds heartbeats, limits and retries.
/// `mpirunVersion` is as in AttemptPlace. Fails with usage where attemptCommand() fails.
Result<std::string> localScript(const CampaignPlan& plan, const SitePaths& paths, const std::string& mpirunVersion);

} // namespace ringside::jobs
