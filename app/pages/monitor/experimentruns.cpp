// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/experimentruns.h"

#include "core/store/queries.h"

#include <algorithm>

namespace ringside {

Result<ExperimentRuns> ExperimentRuns::read(const store::Database& db, const std::string& experiment)
{
    ExperimentRuns runs;
    store::RunFilter filter;
    filter.experiment = experiment;
    TRY_ASSIGN(runs.rows, store::runs(db, filter));
    std::erase_if(runs.rows, [](const store::RunRow& run) { return !run.inMatrix && run.kind != RunKind::trial; });
    TRY_ASSIGN(const auto campaigns, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : campaigns)
        if (campaign.experiment == experiment) {
            runs.held |= campaign.held;
            if (!campaign.submission.scheduler.empty() && !campaign.job.empty())
                runs.jobs.emplace(campaign.id, campaign.job);
        }
    return runs;
}

} // namespace ringside
