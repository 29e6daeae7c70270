// SPDX-License-Identifier: MIT
#include "core/conductor/translate.h"

#include "core/base/clock.h"
#include "core/jobs/slurm/jobwords.h"

namespace ringside {

campaign::State stateOf(const store::CampaignRow& row, const std::vector<campaign::RunChange>& runs,
                        const std::vector<RunId>& cancelled)
{
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
                !run.cancelAsked) // an earlier campaign may have said how its own try ended
                run = {run.attempt > 0 ? RunState::requeued : RunState::queued, run.attempt};
    return state;
}

campaign::Reported::Standing standingOf(const wire::CampaignStatus& status)
{
    using Standing = campaign::Reported::Standing;
    if (!status.known)
        return Standing::unknown;
    if (status.state == wire::CampaignState::ended)
        return Standing::ended;
    if (status.state == wire::CampaignState::lost)
        return Standing::lost;
    return status.knownAtNs > 0 ? Standing::silent : Standing::alive;
}

std::string wordsOf(const wire::CampaignStatus& status, std::int64_t nowNs)
{
    const bool waits = status.jobState == JobState::pending || status.jobState == JobState::requeued;
    if (!waits || status.job.empty())
        return status.reason;
    return slurm::waitingWords(status.job, status.reason, status.expectedStartNs, nowNs);
}

wire::ControlAction actionOf(campaign::Control::Kind kind)
{
    switch (kind) {
    case campaign::Control::Kind::hold:
        return wire::ControlAction::hold;
    case campaign::Control::Kind::proceed:
        return wire::ControlAction::resume;
    case campaign::Control::Kind::cancelRun:
        return wire::ControlAction::cancelRun;
    default:
        return wire::ControlAction::cancel;
    }
}

campaign::Event eventOf(const ControlRequest& request)
{
    switch (request.action) {
    case ControlAction::hold:
        return campaign::HoldAsked{};
    case ControlAction::proceed:
        return campaign::ProceedAsked{};
    case ControlAction::cancelRun:
        return campaign::CancelRunAsked{request.run.value_or(RunId()), wallNs()};
    case ControlAction::cancelWaiting:
        return campaign::CancelWaitingAsked{wallNs()};
    default:
        return campaign::CancelAsked{wallNs()};
    }
}

} // namespace ringside
