// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/experimentruns.h"

#include "core/store/queries.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace ringside {

namespace {

bool isListed(const store::RunRow& run)
{
    return store::isCounted(run) || run.kind == RunKind::trial;
}

} // namespace

std::string experimentToShow(const std::vector<store::ExperimentRow>& experiments)
{
    const store::ExperimentRow* best = nullptr;
    for (const store::ExperimentRow& row : experiments)
        if (row.runs.total > 0 && (!best || std::pair(row.runs.unfinished() > 0, row.changedAt) >
                                                std::pair(best->runs.unfinished() > 0, best->changedAt)))
            best = &row;
    return best ? best->name : std::string();
}

Result<ExperimentRuns> ExperimentRuns::read(const store::Database& db, const std::string& experiment)
{
    ExperimentRuns runs;
    store::RunFilter filter;
    filter.experiment = experiment;
    TRY_ASSIGN(runs.rows, store::runs(db, filter));
    std::erase_if(runs.rows, std::not_fn(isListed));
    TRY_ASSIGN(const auto campaigns, store::campaigns(db, true));
    for (const store::CampaignRow& campaign : campaigns)
        if (campaign.experiment == experiment) {
            runs.held |= campaign.held;
            if (!campaign.submission.scheduler.empty() && !campaign.job.empty())
                runs.jobs.emplace(campaign.id, campaign.job);
        }
    return runs;
}

std::vector<store::RunRow> ExperimentRuns::listed(const std::vector<store::RunRow>& rows, const std::string& experiment,
                                                  const std::map<RunId, store::RunRow>& before)
{
    std::vector<store::RunRow> listed;
    std::ranges::copy_if(rows, std::back_inserter(listed), [&](const store::RunRow& run) {
        return run.experiment == experiment && (isListed(run) || before.contains(run.id));
    });
    return listed;
}

} // namespace ringside
