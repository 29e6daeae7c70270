// SPDX-License-Identifier: MIT
// The batch script of a campaign. (One job per run: one campaign per run.)
#pragma once

#include "core/jobs/scheduler.h"

namespace ringside::slurm {

/// Returns the options that say which nodes a job of these settings may get.
std::vector<std::string> nodeOptions(const jobs::JobSettings& settings);

/// Fails with usage, naming the field, for settings that have problems (settings.h).
Result<std::string> batchScript(const CampaignPlan& plan, const jobs::SitePaths& paths,
                                const jobs::JobSettings& settings, const jobs::Surroundings& surroundings);

} // namespace ringside::slurm
