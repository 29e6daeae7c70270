// SPDX-License-Identifier: MIT
// The batch script of a campaign: what people see before they submit is byte for byte what is submitted. Pure text.
#pragma once

#include "core/jobs/attemptcommand.h"
#include "core/jobs/slurm/slurmsettings.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::slurm {

/// What a site's programs need around them. All of it data: names and paths, no shell text.
struct Surroundings
{
    std::vector<std::string> modules;             ///< for `module load`, in this order
    std::vector<std::string> sourcedFiles;        ///< sh scripts, absolute paths
    std::map<std::string, std::string> variables; ///< names of letters, digits and underscores
    bool operator==(const Surroundings&) const = default;
};

/// From the signal to the end of the job's time, for the runner to end its attempt; Slurm sends it up to 60 s earlier.
inline constexpr int kWarningSeconds = 30;

/// What Slurm calls a campaign's job, in its comment: "ringside:<uuid>". By it a job is found whose id was not noted.
std::string commentOf(const CampaignId& campaign);
/// nullopt for a comment that is not of a campaign.
std::optional<CampaignId> campaignOf(std::string_view comment);

/// Which nodes a job of these settings may get, as options of sbatch and srun: "--partition=main".
std::vector<std::string> whereOptions(const SlurmSettings& settings);

/// One job that carries out the whole campaign in one allocation. (One job per run: one campaign per run.)
/// Fails with usage, naming the field, for what cannot be said to Slurm.
Result<std::string> batchScript(const CampaignPlan& plan, const jobs::SitePaths& paths, const SlurmSettings& settings,
                                const Surroundings& surroundings);

} // namespace ringside::slurm
