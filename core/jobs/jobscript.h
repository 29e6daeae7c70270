// SPDX-License-Identifier: MIT
// The parts of a job's script that are the same for every scheduler. Pure text.
#pragma once

#include "core/jobs/attempt.h"
#include "core/jobs/jobsettings.h"

#include <string>

namespace ringside::jobs {

struct ScriptParts
{
    std::string shell; ///< the first line; what the scheduler is to know comes next
    std::string body;  ///< prepares the surroundings, then becomes the campaign's runner
};

/// Fails with usage, naming the field, for what cannot be written for a shell or in a file's name.
Result<ScriptParts> scriptParts(const CampaignPlan& plan, const SitePaths& paths, const Surroundings& surroundings);

} // namespace ringside::jobs
