// SPDX-License-Identifier: MIT
// Handles the relay's messages about the campaigns of a site.
#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/conductor/campaigndriver.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <iterator>

namespace ringside {

using campaign::Stage;

namespace {

/// Until a campaign whose files could not be read is looked at again.
constexpr std::int64_t kReadPauseNs = 10'000'000'000;

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

/// True where a further submission would start nothing: for a runner, a job of it, or its end is there.
bool isThere(const wire::CampaignStatus& status)
{
    using wire::CampaignState;
    const bool isBegun = status.state != CampaignState::queued || status.jobState != JobState::unknown;
    return status.known && status.state != CampaignState::lost && isBegun;
}

/// For a job that waits it says also when that is expected to start: to the minute, which is how it is shown, as a
/// guess that moves by seconds is no news.
Reason reasonOf(const wire::CampaignStatus& status)
{
    constexpr std::int64_t kMinuteNs = 60'000'000'000;
    Reason reason = status.reason;
    if (reason.code == why::kJob && jobs::waits(status.jobState) && status.expectedStartNs > 0)
        reason.add("starts_ns", status.expectedStartNs / kMinuteNs * kMinuteNs);
    return reason;
}

} // namespace

void CampaignDriver::handle(const wire::Message& message)
{
    std::visit([&](const auto& value) { on(value); }, message);
}

CampaignDriver::Request CampaignDriver::takeRequest(std::uint32_t id)
{
    auto found = m_requests.extract(id);
    return found.empty() ? Request{} : std::move(found.mapped());
}

void CampaignDriver::on(const wire::SubmitReply& reply)
{
    if (Watched* watched = find(takeRequest(reply.requestId).campaign)) {
        apply(*watched, campaign::Accepted{reply.job});
        complete(watched->launch, {});
    }
}

void CampaignDriver::on(const wire::StatusReply& reply)
{
    const Purpose purpose = takeRequest(reply.requestId).purpose;
    for (const wire::CampaignStatus& status : reply.campaigns)
        if (Watched* watched = find(status.campaign))
            purpose == Purpose::submission ? settleSubmission(*watched, status) : applyStatus(*watched, status);
}

void CampaignDriver::applyStatus(Watched& watched, const wire::CampaignStatus& status)
{
    if (const auto away = status.known ? std::nullopt : elsewhere(watched))
        return noteUnread(watched, *away);
    watched.isFresh = watched.isFresh || (watched.isRead && watched.state.inDoubt);
    apply(watched,
          campaign::Reported{standingOf(status), wallNs(), reasonOf(status), status.jobState, status.knownAtNs});
}

/// Why the site does not find a campaign that may go on all the same: it was handed over while the site had another
/// root.
std::optional<Error> CampaignDriver::elsewhere(const Watched& watched) const
{
    const fs::path then = fs::path(watched.plan.dataFolder).lexically_normal();
    const fs::path now = layout::dataFolder(m_link.root()).lexically_normal();
    if (watched.plan.dataFolder.empty() || !m_link.isConnected() || then == now)
        return std::nullopt;
    return Error{ErrorCode::unavailable,
                 Words::tr("The campaign lies in {}, but the root of “{}” is {} now.", then.parent_path().string(),
                           m_link.name(), now.parent_path().string()),
                 Words::tr("Set the root back and collect again (on this computer it follows from XDG_DATA_HOME or "
                           "HOME). Cancel the campaign only if that folder is lost.")};
}

Error CampaignDriver::explained(const Watched* watched, const Error& error) const
{
    const bool isMissed = watched && error.code == ErrorCode::notFound;
    return (isMissed ? elsewhere(*watched) : std::nullopt).value_or(error);
}

void CampaignDriver::on(const wire::ControlReply& reply)
{
    Request request = takeRequest(reply.requestId);
    if (Watched* watched = find(request.campaign))
        apply(*watched, campaign::Answered{request.order, true});
    complete(request.done, {});
}

void CampaignDriver::on(const wire::ErrorReply& reply)
{
    Request request = takeRequest(reply.requestId);
    Watched* watched = find(request.campaign);
    const Error error = explained(watched, reply.error);
    if (watched && request.purpose == Purpose::order)
        apply(*watched, campaign::Answered{request.order, false});
    if (watched && request.purpose == Purpose::submission) {
        failSubmission(*watched, error);
    } else if (watched && request.purpose == Purpose::reading) {
        failReading(*watched, reply.requestId, error);
    } else if (request.done || request.purpose == Purpose::log) {
        complete(request.done, tl::unexpected(error));
        if (watched && reply.requestId == watched->follow) // a log is read with the rest of its campaign
            failReading(*watched, reply.requestId, error);
    } else {
        m_sink.problem(error);
    }
}

void CampaignDriver::refuse(Watched& watched, const Error& error)
{
    apply(watched, campaign::Refused{error, wallNs()});
    complete(watched.launch, tl::unexpected(error));
}

/// A runner may live all the same: of an earlier submission whose answer was lost, or of this one, which ended within
/// its work. Where the request itself is wrong there is none.
void CampaignDriver::failSubmission(Watched& watched, const Error& error)
{
    if (watched.failed) // what became of it cannot be found out either
        return postpone(watched, *std::exchange(watched.failed, std::nullopt));
    if (isForNow(watched, error))
        return postpone(watched, error);
    if (error.code == ErrorCode::usage || error.code == ErrorCode::exists)
        return refuse(watched, error);
    watched.failed = error;
    askStatus(watched, Purpose::submission);
}

void CampaignDriver::settleSubmission(Watched& watched, const wire::CampaignStatus& status)
{
    const Error error = std::exchange(watched.failed, std::nullopt).value_or(Error());
    if (status.knownAtNs > 0 || status.reason.code == why::kSchedulerSilent)
        return postpone(watched, error);
    if (!isThere(status))
        return refuse(watched, error);
    apply(watched, campaign::Accepted{status.job});
    complete(watched.launch, {});
}

/// A submission that has not come to its end may still start the runner, which is watched then. A scheduler that is
/// away comes back; where the relay itself starts the runner, trying again changes nothing.
bool CampaignDriver::isForNow(const Watched& watched, const Error& error)
{
    if (error.code == ErrorCode::timeout || error.code == ErrorCode::busy)
        return true;
    return error.code == ErrorCode::unavailable && !watched.submission.scheduler.empty();
}

/// Reported once for the same reason, whichever request met it.
void CampaignDriver::postpone(Watched& watched, Error error)
{
    error.hint = Words::tr("It is tried again by itself.");
    const bool isNews = watched.state.note != becauseOf(error);
    apply(watched, campaign::Postponed{error, wallNs()});
    watched.isFresh = true; // there is nothing else to be known of it
    if (isNews)             // the launch is answered once the site has decided
        m_sink.problem(error);
}

void CampaignDriver::on(const wire::FileChunk& chunk)
{
    Watched* watched = find(chunk.campaign);
    const auto logs = m_logsOnly.find(chunk.campaign);
    if (!watched && (logs == m_logsOnly.end() || chunk.kind != wire::FileKind::log))
        return;
    ChunkContent content = (watched ? watched->files : logs->second).read(chunk);
    for (const std::optional<Error>& problem : {content.damage, content.refused})
        if (problem)
            m_sink.problem(*problem);
    showLog(chunk.campaign, content);
    if (watched)
        takeContent(*watched, chunk, std::move(content));
}

/// Changes of runs, records and cursors of one piece go into one transaction.
void CampaignDriver::takeContent(Watched& watched, const wire::FileChunk& chunk, ChunkContent content)
{
    std::vector<store::Arrival> arrivals;
    for (const JournalEvent& event : content.events)
        apply(watched, campaign::Journalled{event}, arrivals);
    if (content.hasSamples())
        apply(watched, campaign::SamplesSeen{chunk.run, chunk.attempt, wallNs()}, arrivals);
    std::ranges::move(content.arrivals, std::back_inserter(arrivals));
    flush(arrivals);
}

void CampaignDriver::on(const wire::FollowState& follow)
{
    if (!follow.caughtUp)
        return;
    Request request = takeRequest(follow.requestId);
    complete(request.done, {});
    Watched* watched = find(follow.campaign);
    if (!watched && follow.requestId == m_logFollow && m_logsOnly.erase(follow.campaign) > 0)
        (void)m_link.send(wire::UnfollowRequest{0, follow.campaign});
    if (!watched || follow.requestId != watched->follow)
        return;
    if (watched->files.hasGap())
        return act(*watched, campaign::Follow{});
    watched->isRead = true;
    watched->unread.reset();
    apply(*watched, campaign::CaughtUp{follow.runnerAlive, wallNs()});
    watched->isFresh = watched->isRead && !watched->state.inDoubt;
}

/// Reported once for the same reason. A wait for new records ends here; the campaign is read again after a while.
void CampaignDriver::noteUnread(Watched& watched, const Error& error)
{
    if (!watched.unread || watched.unread->text() != error.text())
        m_sink.problem(error);
    watched.unread = error;
    watched.isFresh = true;
    apply(watched, campaign::Unreadable{error, wallNs()});
}

/// The rest of the campaign comes by the latest request alone: where that fails, it is asked for again after a while.
void CampaignDriver::await(Watched& watched, const Result<std::uint32_t>& follow)
{
    watched.isFresh = watched.isRead = false;
    watched.readAgainNs = monotonicNs() + kReadPauseNs;
    watched.follow = follow.value_or(0);
    if (!follow)
        noteUnread(watched, follow.error());
}

void CampaignDriver::failReading(Watched& watched, std::uint32_t request, const Error& error)
{
    if (error.code != ErrorCode::notFound)
        noteUnread(watched, error);
    else if (request == watched.follow) // else it was asked for in another way meanwhile
        apply(watched, campaign::Unreadable{error, wallNs()});
}

void CampaignDriver::readAgain(Watched& watched)
{
    if (watched.unread && m_link.isConnected() && watched.state.stage == Stage::submitted &&
        monotonicNs() >= watched.readAgainNs)
        act(watched, campaign::Follow{});
}

/// The output of the campaign's job is part of the log of each of its runs.
void CampaignDriver::showLog(const CampaignId& campaign, const ChunkContent& content)
{
    if (!content.log || m_logRun.empty() || campaign != m_logCampaign)
        return;
    LogText log = *content.log;
    if (log.run.empty())
        log.run = m_logRun;
    if (log.run == m_logRun)
        m_sink.logArrived(log);
}

} // namespace ringside
