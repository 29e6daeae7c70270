// SPDX-License-Identifier: MIT
#include "agent/relay/campaigns.h"

#include "agent/relay/handover.h"
#include "agent/relay/signoflife.h"
#include "agent/runner/allocation.h"
#include "core/base/regularfile.h"
#include "core/base/text.h"
#include "core/jobs/slurm/jobwords.h"
#include "core/jobs/slurm/submission.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace ringside::relay {

namespace {

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Result<void> removeFile(const fs::path& path)
{
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return tl::unexpected(systemError("cannot remove", path, errno));
    return {};
}

/// Another plan under the same id is a defect of the sender: an immutable plan is not written over.
Result<void> keepPlan(const fs::path& path, const std::string& plan)
{
    if (!isThere(path))
        return writeFileAtomically(path, plan);
    TRY_ASSIGN(const std::string kept, readRegularFile(path, kMaxPlanBytes));
    if (kept != plan)
        return fail(ErrorCode::exists, fmt::format("{} holds another plan already.", path.string()),
                    "Submit it as a new campaign.");
    return {};
}

Result<void> applyControl(const fs::path& campaign, const wire::ControlRequest& request)
{
    TRY(makePrivateFolder(layout::controlFolder(campaign)));
    switch (request.control.kind) {
    case Control::Kind::hold:
        return writeFileAtomically(layout::holdFile(campaign), "");
    case Control::Kind::proceed:
        return removeFile(layout::holdFile(campaign));
    case Control::Kind::cancel:
        return writeFileAtomically(layout::cancelFile(campaign), "");
    case Control::Kind::cancelRun:
    case Control::Kind::cancelWaiting:
        break;
    }
    if (request.control.run.empty())
        return fail(ErrorCode::usage, "Which run to cancel was not said.");
    return writeFileAtomically(layout::cancelFile(campaign, request.control.run), "");
}

/// Handed to one by us, or by hand with its script.
bool isInScheduler(const fs::path& campaign, const RunnerState& state)
{
    return state.inJob || isThere(layout::schedulerFile(campaign));
}

std::string notSubmittedWords(const fs::path& campaign)
{
    if (!runner::isSubmittedByHand(campaign))
        return "It was not submitted yet.";
    return fmt::format("Waits to be submitted by hand: sbatch {}", layout::scriptFile(campaign).string());
}

bool isAtWork(JobState state)
{
    return state == JobState::running || state == JobState::suspended || state == JobState::completing;
}

/// Running is what has a runner; a job alone may still be preparing its nodes, or be about to begin again.
wire::CampaignState stateOf(const slurm::JobReport& report, const RunnerState& state)
{
    using wire::CampaignState;
    if (isAtWork(report.state))
        return state.inJob && state.job == report.id ? CampaignState::running : CampaignState::starting;
    const bool waits = report.state == JobState::pending || report.state == JobState::requeued;
    return waits ? CampaignState::queued : CampaignState::lost;
}

} // namespace

fs::path Campaigns::folder(const CampaignId& campaign) const
{
    return layout::campaignFolder(m_options.root, campaign);
}

Result<void> Campaigns::keep(const wire::SubmitRequest& request) const
{
    TRY_ASSIGN(const CampaignPlan plan, planFromJson(request.plan));
    if (request.campaign.empty() || plan.campaign != request.campaign)
        return fail(ErrorCode::usage, "The plan is that of another campaign.");
    if (!request.scheduler.empty() && request.scheduler != slurm::kScheduler &&
        request.scheduler != slurm::kSchedulerByHand)
        return fail(ErrorCode::usage,
                    fmt::format("The scheduler “{}” is not known here.", plainText(request.scheduler)),
                    "Ringside on this machine may be older.");
    const fs::path campaign = folder(request.campaign);
    TRY(makePrivateFolder(layout::controlFolder(campaign)));
    if (!isThere(layout::scriptFile(campaign)))
        TRY(writeFileAtomically(layout::scriptFile(campaign), request.script));
    if (!request.scheduler.empty() && !isThere(layout::schedulerFile(campaign)))
        TRY(writeFileAtomically(layout::schedulerFile(campaign), request.scheduler + "\n"));
    if (!request.scheduler.empty() && !isThere(layout::runnerLog(campaign)))
        TRY(writeFileAtomically(layout::runnerLog(campaign), "")); // Slurm appends; made by it, others could read it
    return keepPlan(layout::planFile(campaign), request.plan);
}

wire::StatusReply Campaigns::status(const wire::StatusRequest& request) const
{
    wire::StatusReply reply;
    reply.requestId = request.requestId;
    for (const auto& campaign : request.campaigns.empty() ? all() : request.campaigns)
        reply.campaigns.push_back(statusOf(campaign));
    return reply;
}

wire::CampaignStatus Campaigns::statusOf(const CampaignId& campaign) const
{
    using wire::CampaignState;
    const fs::path path = folder(campaign);
    if (campaign.empty() || !isThere(path))
        return {campaign, false, CampaignState::queued, {}, {}};
    const auto state = runnerState(path);
    if (!state)
        return {campaign, true, CampaignState::lost, {}, state.error().text()};
    if (state->ended)
        return {campaign, true, CampaignState::ended, state->job, state->note};
    if (isInScheduler(path, *state))
        return queuedStatus(campaign, *state);
    if (state->life == runner::Life::alive)
        return {campaign, true, CampaignState::running, state->job, state->note};
    if (state->life == runner::Life::unknown)
        return {campaign, true, CampaignState::running, state->job, "Its runner is on another machine."};
    if (!state->everStarted)
        return {campaign, true, CampaignState::queued, {}, "It was not started yet."};
    return {campaign, true, CampaignState::lost, state->job, "Its runner died."};
}

wire::CampaignStatus Campaigns::queuedStatus(const CampaignId& campaign, const RunnerState& state) const
{
    const std::string job = notedJob(folder(campaign));
    const auto report = m_queue.find(campaign, job);
    if (!report && !m_queue.isAnswering())
        return silentStatus(campaign, state);
    wire::CampaignStatus status{campaign, true, wire::CampaignState::queued, job, {}};
    if (report) {
        status.state = stateOf(*report, state);
        status.job = report->id;
        status.reason = slurm::jobWords(*report);
        status.jobState = report->state;
        status.jobReason = report->reason;
        status.expectedStartNs = report->expectedStart.value_or(0) * 1'000'000'000;
    } else {
        status.state = state.everStarted ? wire::CampaignState::running : wire::CampaignState::queued;
        status.reason = notSubmittedWords(folder(campaign));
    }
    if (status.state == wire::CampaignState::running && status.reason.empty())
        status.reason = state.note;
    return status;
}

/// The scheduler does not answer: what was written lately is all that is known.
wire::CampaignStatus Campaigns::silentStatus(const CampaignId& campaign, const RunnerState& state) const
{
    using wire::CampaignState;
    wire::CampaignStatus status{campaign, true, state.everStarted ? CampaignState::running : CampaignState::queued,
                                notedJob(folder(campaign)), "Slurm does not answer: " + m_queue.trouble()};
    const std::int64_t knownNs = lastKnownNs(campaign, state);
    status.knownAtNs = isSignOfLife(knownNs) ? 0 : knownNs;
    return status;
}

/// A word of the scheduler grows old as a file does.
std::int64_t Campaigns::lastKnownNs(const CampaignId& campaign, const RunnerState& state) const
{
    return std::max(lastSignOfLife(m_options.root, campaign, state.open), m_queue.answeredAtNs());
}

bool Campaigns::isAlive(const CampaignId& campaign) const
{
    const auto owner = runner::latestOwner(folder(campaign));
    if (!owner || !*owner)
        return false;
    if ((*owner)->job.empty())
        return runner::lifeOf((*owner)->process) == runner::Life::alive;
    const auto report = m_queue.find(campaign, (*owner)->job);
    if (report || m_queue.isAnswering())
        return report && report->id == (*owner)->job && isAtWork(report->state);
    const auto state = runnerState(folder(campaign));
    return state && isSignOfLife(lastSignOfLife(m_options.root, campaign, state->open));
}

std::vector<CampaignId> Campaigns::queued(const std::vector<CampaignId>& campaigns) const
{
    std::vector<CampaignId> found;
    for (const auto& campaign : campaigns.empty() ? all() : campaigns) {
        const Result<RunnerState> state = runnerState(folder(campaign));
        if (state && !state->ended && isInScheduler(folder(campaign), *state))
            found.push_back(campaign);
    }
    return found;
}

std::vector<CampaignId> Campaigns::all() const
{
    std::vector<CampaignId> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(layout::campaignsFolder(m_options.root), ignored))
        if (auto id = CampaignId::parse(entry.path().filename().string()))
            found.push_back(*id);
    return found;
}

Result<void> Campaigns::control(const wire::ControlRequest& request) const
{
    const fs::path campaign = folder(request.campaign);
    if (request.campaign.empty() || !isThere(layout::planFile(campaign)))
        return fail(ErrorCode::notFound, fmt::format("There is no campaign {} here.", request.campaign.str()));
    return applyControl(campaign, request);
}

} // namespace ringside::relay
