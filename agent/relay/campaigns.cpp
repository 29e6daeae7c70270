// SPDX-License-Identifier: MIT
#include "agent/relay/campaigns.h"

#include "agent/relay/handover.h"
#include "agent/runner/allocation.h"
#include "agent/runner/signoflife.h"
#include "core/base/regularfile.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::relay {

namespace {

/// Fails where it cannot be known: only the file system's word that a path does not exist counts as that.
Result<bool> lookFor(const fs::path& path)
{
    struct stat info;
    if (::stat(path.c_str(), &info) == 0)
        return true;
    if (errno == ENOENT || errno == ENOTDIR)
        return false;
    return tl::unexpected(systemError("cannot read", path, errno));
}

/// Looking again changes nothing.
bool isForGood(const Error& error)
{
    return error.code == ErrorCode::damaged || error.code == ErrorCode::newerVersion;
}

Result<void> writeOnce(const fs::path& path, const std::string& bytes)
{
    TRY_ASSIGN(const bool isWritten, lookFor(path));
    return isWritten ? Result<void>() : writeFileAtomically(path, bytes);
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
    TRY(writeOnce(path, plan));
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
    case Control::Kind::cancel: // its time says for how long it has not been obeyed, however often it is asked for
        return writeOnce(layout::cancelFile(campaign), "");
    case Control::Kind::cancelRun:
    case Control::Kind::cancelWaiting:
        break;
    }
    if (request.control.run.empty())
        return fail(ErrorCode::usage, "The run to cancel is not named.");
    return writeFileAtomically(layout::cancelFile(campaign, request.control.run), "");
}

/// Handed to one by us, or by hand with its script.
Result<jobs::Submitter> submitterOf(const fs::path& campaign, const RunnerState& state)
{
    TRY_ASSIGN(jobs::Submitter submitter, runner::submitterOf(campaign));
    submitter.scheduler = state.scheduler ? state.scheduler : submitter.scheduler;
    return submitter;
}

Reason becauseNotSubmitted(const fs::path& campaign, const jobs::Submitter& submitter)
{
    if (!submitter.byHand)
        return because(why::kNotSubmitted);
    return because(why::kSubmitByHand,
                   {{"command", jobs::typedSubmission(*submitter.scheduler, layout::scriptFile(campaign).string())}});
}

/// A job that runs needs no reason.
Reason becauseOfJob(const jobs::Scheduler& scheduler, const jobs::JobReport& report)
{
    if (report.state == JobState::running)
        return {};
    return because(why::kJob, {{"scheduler", std::string(scheduler.name())},
                               {"job", report.id},
                               {"state", std::string(nameOf(report.state))},
                               {"word", report.reason}});
}

bool isAtWork(JobState state)
{
    return state == JobState::running || state == JobState::suspended || state == JobState::completing;
}

/// Running is what has a runner; a job alone may still be preparing its nodes, or be about to begin again.
wire::CampaignState standingOf(const jobs::JobReport& report, const RunnerState& state)
{
    using wire::CampaignState;
    if (isAtWork(report.state))
        return state.scheduler && state.job == report.id ? CampaignState::running : CampaignState::starting;
    return jobs::waits(report.state) ? CampaignState::queued : CampaignState::lost;
}

} // namespace

fs::path Campaigns::folder(const CampaignId& campaign) const
{
    return layout::campaignFolder(m_options.root, campaign);
}

Result<RunnerState> Campaigns::stateOf(const CampaignId& campaign) const
{
    if (const auto known = m_ended.find(campaign); known != m_ended.end())
        return known->second;
    auto state = runnerState(folder(campaign));
    if (state && state->ended)
        m_ended.emplace(campaign, *state);
    return state;
}

Result<void> Campaigns::keep(const wire::SubmitRequest& request) const
{
    m_ended.erase(request.campaign); // its folder may have been cleaned up
    TRY_ASSIGN(const CampaignPlan plan, planFromJson(request.plan));
    if (request.campaign.empty() || plan.campaign != request.campaign)
        return fail(ErrorCode::usage, "The plan is that of another campaign.");
    TRY(jobs::submitterOf(request.scheduler));
    const fs::path campaign = folder(request.campaign);
    TRY(makePrivateFolder(layout::controlFolder(campaign)));
    TRY(writeOnce(layout::scriptFile(campaign), request.script));
    if (!request.scheduler.empty()) {
        TRY(writeOnce(layout::schedulerFile(campaign), request.scheduler + "\n"));
        TRY(writeOnce(layout::runnerLog(campaign), "")); // the job appends; made by it, others could read it
    }
    return keepPlan(layout::planFile(campaign), request.plan);
}

Result<wire::StatusReply> Campaigns::status(const wire::StatusRequest& request) const
{
    wire::StatusReply reply;
    reply.requestId = request.requestId;
    for (const auto& campaign : request.campaigns.empty() ? all() : request.campaigns) {
        TRY_ASSIGN(wire::CampaignStatus status, statusOf(campaign));
        reply.campaigns.push_back(std::move(status));
    }
    return reply;
}

/// Fails where nothing can be known now: a campaign that is reported as unknown or lost would be given up or begun
/// anew.
Result<wire::CampaignStatus> Campaigns::statusOf(const CampaignId& campaign) const
{
    using wire::CampaignState;
    TRY_ASSIGN(const bool isHere, lookFor(layout::planFile(folder(campaign))));
    if (campaign.empty() || !isHere) {
        TRY_ASSIGN(const bool hasAny, lookFor(layout::campaignsFolder(m_options.root)));
        return wire::CampaignStatus{
            campaign, false, CampaignState::queued, {}, hasAny ? Reason() : because(why::kRootBlank)};
    }
    const auto state = stateOf(campaign);
    const auto submitter = state ? submitterOf(folder(campaign), *state) : tl::unexpected(state.error());
    if (state && state->ended)
        return wire::CampaignStatus{campaign, true, CampaignState::ended, state->job, state->note};
    if (submitter)
        return statusOf(campaign, *state, *submitter);
    if (isForGood(submitter.error()))
        return wire::CampaignStatus{campaign, true, CampaignState::lost, {}, becauseOf(submitter.error())};
    return tl::unexpected(submitter.error());
}

wire::CampaignStatus Campaigns::statusOf(const CampaignId& campaign, const RunnerState& state,
                                         const jobs::Submitter& submitter) const
{
    using wire::CampaignState;
    if (submitter.scheduler)
        return queuedStatus(campaign, state, submitter);
    if (state.life == runner::Life::alive)
        return {campaign, true, CampaignState::running, state.job, state.note};
    if (state.life == runner::Life::unknown)
        return {campaign, true, CampaignState::running, state.job, because(why::kRunnerElsewhere)};
    if (!state.everStarted)
        return {campaign, true, CampaignState::queued, {}, because(why::kNotStartedYet)};
    return {campaign, true, CampaignState::lost, state.job, because(why::kNoRunner)};
}

wire::CampaignStatus Campaigns::queuedStatus(const CampaignId& campaign, const RunnerState& state,
                                             const jobs::Submitter& submitter) const
{
    const std::string job = notedJob(folder(campaign));
    const Queue& queue = m_queues.of(*submitter.scheduler);
    const auto report = queue.find(campaign, job);
    if (!report && !queue.isAnswering())
        return silentStatus(campaign, state, *submitter.scheduler);
    wire::CampaignStatus status{campaign, true, wire::CampaignState::queued, job, {}};
    if (report) {
        status.state = standingOf(*report, state);
        status.job = report->id;
        status.reason = becauseOfJob(*submitter.scheduler, *report);
        status.jobState = report->state;
        status.expectedStartNs = report->expectedStart.value_or(0) * 1'000'000'000;
    } else {
        status.state = state.everStarted ? wire::CampaignState::running : wire::CampaignState::queued;
        status.reason = becauseNotSubmitted(folder(campaign), submitter);
    }
    if (status.state == wire::CampaignState::running && status.reason.empty())
        status.reason = state.note;
    return status;
}

/// The scheduler does not answer: what was written lately is all that is known.
wire::CampaignStatus Campaigns::silentStatus(const CampaignId& campaign, const RunnerState& state,
                                             const jobs::Scheduler& scheduler) const
{
    using wire::CampaignState;
    const Queue& queue = m_queues.of(scheduler);
    wire::CampaignStatus status{
        campaign, true, state.everStarted ? CampaignState::running : CampaignState::queued, notedJob(folder(campaign)),
        because(why::kSchedulerSilent, {{"scheduler", std::string(scheduler.name())}, {"said", queue.trouble()}})};
    // A word of the scheduler grows old as a file does.
    const std::int64_t knownNs =
        std::max(runner::lastSignOfLife(m_options.root, campaign, state.open), queue.answeredAtNs());
    status.knownAtNs = runner::isSignOfLife(knownNs) ? 0 : knownNs;
    return status;
}

bool Campaigns::isAlive(const CampaignId& campaign) const
{
    const auto owner = runner::latestOwner(folder(campaign));
    if (!owner || !*owner)
        return false;
    if ((*owner)->job.empty())
        return runner::lifeOf((*owner)->process) == runner::Life::alive;
    const Queue& queue = m_queues.of(runner::schedulerOf(**owner));
    const auto report = queue.find(campaign, (*owner)->job);
    if (report || queue.isAnswering())
        return report && report->id == (*owner)->job && isAtWork(report->state);
    const auto state = stateOf(campaign);
    return state && runner::isSignOfLife(runner::lastSignOfLife(m_options.root, campaign, state->open));
}

bool Campaigns::isOpen(const CampaignId& campaign) const
{
    const auto state = stateOf(campaign);
    return state && !state->ended;
}

std::map<CampaignId, const jobs::Scheduler*> Campaigns::queued(const std::vector<CampaignId>& campaigns) const
{
    std::map<CampaignId, const jobs::Scheduler*> found;
    for (const auto& campaign : campaigns.empty() ? all() : campaigns)
        if (const auto state = stateOf(campaign); state && !state->ended)
            if (const auto submitter = submitterOf(folder(campaign), *state); submitter && submitter->scheduler)
                found.emplace(campaign, submitter->scheduler);
    return found;
}

const jobs::Scheduler* Campaigns::schedulerOf(const CampaignId& campaign) const
{
    const auto owner = runner::latestOwner(folder(campaign)); // not by the journal, which grows with the campaign
    if (owner && *owner && !(*owner)->job.empty())
        return &runner::schedulerOf(**owner);
    const auto submitter = runner::submitterOf(folder(campaign));
    return submitter ? submitter->scheduler : nullptr;
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
    TRY_ASSIGN(const bool isHere, lookFor(layout::planFile(campaign)));
    if (request.campaign.empty() || !isHere)
        return fail(ErrorCode::notFound, fmt::format("There is no campaign {} here.", request.campaign.str()));
    return applyControl(campaign, request);
}

} // namespace ringside::relay
