// SPDX-License-Identifier: MIT
#include "core/store/campaignstate.h"

#include "core/store/queries.h"

namespace ringside::store {

Result<campaign::State> campaignState(const Database& db, const CampaignRow& row)
{
    TRY_ASSIGN(const std::vector<campaign::RunChange> runs, runsOfCampaign(db, row.id));
    TRY_ASSIGN(const std::vector<RunId> cancelled, cancelledRuns(db, row.id));
    campaign::State state;
    state.stage = row.stage;
    state.held = row.held;
    state.cancelled = row.cancelled;
    state.contactLostAt = row.contactLostAt;
    state.note = row.note;
    for (const campaign::RunChange& run : runs)
        state.runs.emplace(run.run, campaign::RunProgress{run.state, run.attempt, run.cause});
    for (const RunId& run : cancelled)
        state.runs.emplace(run, campaign::RunProgress{RunState::cancelled, 0, Cause::cancelled})
            .first->second.cancelAsked = true;
    if (row.stage == campaign::Stage::waiting)
        for (auto& [id, run] : state.runs)
            if (run.state != RunState::done &&
                !run.cancelAsked) // an earlier campaign may have reported how its own try ended
                run = {run.attempt > 0 ? RunState::requeued : RunState::queued, run.attempt};
    return state;
}

} // namespace ringside::store
