// SPDX-License-Identifier: MIT
// The batch script of a campaign: what people see before they submit is byte for byte what is submitted. Pure text.
#pragma once

#include "core/jobs/attempt.h"
#include "core/jobs/jobsettings.h"

#include <string>
#include <vector>

namespace ringside::slurm {

/// From the signal to the end of the job's time, for the runner to end its attempt; Slurm sends it up to 60 s earlier.
inline constexpr int kWarningSeconds = 30;

/// Which nodes a job of these settings may get, as options of sbatch and srun: "--partition=main".
std::vector<std::string> whereOptions(const jobs::JobSettings& settings);

/// One job that carries out the whole campaign in one allocation. (One job per run: one campaign per run.)
/// Fails with usage, naming the field, for what cannot be said to Slurm.
Result<std::string> batchScript(const CampaignPlan& plan, const jobs::SitePaths& paths,
                                const jobs::JobSettings& settings, const jobs::Surroundings& surroundings);

} // namespace ringside::slurm
