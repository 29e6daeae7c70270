// SPDX-License-Identifier: MIT
#include "core/conductor/campaignreplies.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/jobs/jobreport.h"

#include <utility>

namespace ringside {

namespace {

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

/// A submission that has not come to its end may still start the runner, which is watched then. A scheduler that is
/// away comes back; where the relay itself starts the runner, trying again changes nothing.
bool isForNow(const WatchedCampaign& watched, const Error& error)
{
    if (error.code == ErrorCode::timeout || error.code == ErrorCode::busy)
        return true;
    return error.code == ErrorCode::unavailable && !watched.submission.scheduler.empty();
}

/// An order to one that is being submitted, else, was sent before its last runner died.
bool cancelsSubmission(const WatchedCampaign& watched, Control::Kind order)
{
    return order == Control::Kind::cancel && watched.state.cancelled &&
           watched.state.stage == campaign::Stage::submitting;
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

CampaignReplies::CampaignReplies(WatchedCampaigns& campaigns, CampaignActions& actions, RelayRequests& requests,
                                 ShownLog& log, const SiteLink& link, Sink& sink)
    : m_campaigns(campaigns)
    , m_actions(actions)
    , m_requests(requests)
    , m_log(log)
    , m_link(link)
    , m_sink(sink)
{
}

void CampaignReplies::handle(const wire::Message& message)
{
    std::visit([&](const auto& value) { on(value); }, message);
}

void CampaignReplies::on(const wire::SubmitReply& reply)
{
    if (WatchedCampaign* watched = findWatched(m_campaigns, m_requests.take(reply.requestId).campaign))
        m_actions.accept(*watched, reply.job);
}

void CampaignReplies::on(const wire::StatusReply& reply)
{
    const Purpose purpose = m_requests.take(reply.requestId).purpose;
    for (const wire::CampaignStatus& status : reply.campaigns)
        if (WatchedCampaign* watched = findWatched(m_campaigns, status.campaign))
            purpose == Purpose::submission ? settleSubmission(*watched, status) : applyStatus(*watched, status);
}

void CampaignReplies::applyStatus(WatchedCampaign& watched, const wire::CampaignStatus& status)
{
    watched.isOutOfSight = !status.known && status.reason.code == why::kRootBlank;
    if (const auto away = status.known ? std::nullopt : outOfSight(watched, status))
        return m_actions.noteUnread(watched, *away);
    const auto [before, looks] = std::pair(watched.state.stage, watched.state.lastLooks);
    watched.isFresh = watched.isFresh || (watched.isRead && watched.state.inDoubt);
    m_actions.apply(watched, {campaign::Reported{standingOf(status), wallNs(), reasonOf(status), status.jobState,
                                                 status.knownAtNs}});
    const bool isLookedAtAgain = watched.state.lastLooks > looks; // its ranks may still write, for some seconds at most
    if (watched.state.stage != before || isLookedAtAgain)
        watched.isFresh = false; // until all is read, or the site has the successor of a dead runner
}

/// Returns why the site does not find a campaign that may go on all the same: it was handed over while the site had
/// another root.
std::optional<Error> CampaignReplies::elsewhere(const WatchedCampaign& watched) const
{
    const auto roots = m_requests.movedRoot(watched.plan);
    if (!roots)
        return std::nullopt;
    return Error{ErrorCode::unavailable,
                 Words::tr("The campaign lies in {}, but the root of “{}” is {} now.", roots->then.string(),
                           m_link.name(), roots->now.string()),
                 Words::tr("Set the root back and collect again (on this computer it follows from XDG_DATA_HOME or "
                           "HOME). Cancel the campaign only if that folder is lost.")};
}

/// Returns why a campaign that the site does not find may go on all the same. A root without any campaign is hardly the
/// one to which this one was handed over: its disk is not mounted, or the site's host is another one now.
std::optional<Error> CampaignReplies::outOfSight(const WatchedCampaign& watched,
                                                 const wire::CampaignStatus& status) const
{
    if (const auto away = elsewhere(watched); away || status.reason.code != why::kRootBlank)
        return away;
    return Error{ErrorCode::unavailable,
                 Words::tr("The root {} of “{}” holds no campaigns.", m_link.root().string(), m_link.name()),
                 Words::tr("Mount its disk or set the site's host back, and collect again. Cancel the campaign only if "
                           "that folder is lost.")};
}

Error CampaignReplies::explained(const WatchedCampaign* watched, const Error& error) const
{
    const bool isMissed = watched && error.code == ErrorCode::notFound;
    return (isMissed ? elsewhere(*watched) : std::nullopt).value_or(error);
}

void CampaignReplies::on(const wire::ControlReply& reply)
{
    RelayRequests::Request request = m_requests.take(reply.requestId);
    if (WatchedCampaign* watched = findWatched(m_campaigns, request.campaign)) {
        watched->refusedOrder.reset();
        m_actions.apply(*watched, {campaign::Answered{request.order, true}});
        if (watched->state.stage == campaign::Stage::submitted)
            complete(watched->launch, {}); // the cancel took the place of its submission
    }
    complete(request.done, {});
}

void CampaignReplies::on(const wire::ErrorReply& reply)
{
    RelayRequests::Request request = m_requests.take(reply.requestId);
    WatchedCampaign* watched = findWatched(m_campaigns, request.campaign);
    const Error error = explained(watched, reply.error);
    if (watched && request.purpose == Purpose::order && cancelsSubmission(*watched, request.order))
        return failCancel(*watched, reply.error);
    const bool isRepeated = watched && request.purpose == Purpose::order && refuseOrder(*watched, request.order, error);
    if (watched && request.purpose == Purpose::submission) {
        failSubmission(*watched, error);
    } else if (watched && request.purpose == Purpose::reading) {
        failReading(*watched, reply.requestId, error);
    } else if (request.done || request.purpose == Purpose::log) {
        complete(request.done, tl::unexpected(error));
        if (watched && reply.requestId == watched->follow) // a log is read with the rest of its campaign
            failReading(*watched, reply.requestId, error);
    } else if (!isRepeated) {
        m_sink.problem(error);
    }
}

/// It is sent again by itself. Returns whether the site has said the same of an order before.
bool CampaignReplies::refuseOrder(WatchedCampaign& watched, Control::Kind order, const Error& error)
{
    m_actions.apply(watched, {campaign::Answered{order, false}});
    const auto before = std::exchange(watched.refusedOrder, error);
    return before && before->text() == error.text();
}

/// A runner may live all the same: of an earlier submission whose answer was lost, or of this one, which ended within
/// its work, or of one that a store that was restored does not know. Where the request itself is wrong there is none.
void CampaignReplies::failSubmission(WatchedCampaign& watched, const Error& error)
{
    if (watched.failed) // what became of it cannot be found out either
        return m_actions.postpone(watched, *std::exchange(watched.failed, std::nullopt));
    if (isForNow(watched, error))
        return m_actions.postpone(watched, error);
    if (error.code == ErrorCode::usage)
        return m_actions.refuse(watched, error);
    watched.failed = error;
    m_requests.askStatus(watched.plan.campaign, Purpose::submission);
}

/// A site that does not have the campaign never began it.
void CampaignReplies::failCancel(WatchedCampaign& watched, const Error& error)
{
    if (error.code != ErrorCode::notFound)
        return m_actions.postpone(watched, error);
    m_actions.apply(watched, {campaign::Refused{error, wallNs()}});
}

void CampaignReplies::settleSubmission(WatchedCampaign& watched, const wire::CampaignStatus& status)
{
    const Error error = std::exchange(watched.failed, std::nullopt).value_or(Error());
    if (status.knownAtNs > 0 || status.reason.code == why::kSchedulerSilent)
        return m_actions.postpone(watched, error);
    if (!isThere(status))
        return m_actions.refuse(watched, error);
    m_actions.accept(watched, status.job);
}

void CampaignReplies::on(const wire::FileChunk& chunk)
{
    WatchedCampaign* watched = findWatched(m_campaigns, chunk.campaign);
    CampaignFiles* files = watched ? &watched->files : m_log.filesOf(chunk.campaign);
    if (!files || (!watched && chunk.kind != wire::FileKind::log))
        return;
    ChunkContent content = files->read(chunk);
    for (const std::optional<Error>& problem : {content.damage, content.refused})
        if (problem)
            m_sink.problem(*problem);
    m_log.add(chunk.campaign, content);
    if (watched)
        takeContent(*watched, chunk, std::move(content));
}

/// Changes of runs, records and cursors of one piece go into one transaction.
void CampaignReplies::takeContent(WatchedCampaign& watched, const wire::FileChunk& chunk, ChunkContent content)
{
    std::vector<campaign::Event> events;
    for (const JournalEvent& event : content.events)
        events.emplace_back(campaign::Journalled{event});
    if (content.hasSamples())
        events.emplace_back(campaign::SamplesSeen{chunk.run, chunk.attempt, wallNs()});
    m_actions.apply(watched, events, std::move(content.arrivals));
}

void CampaignReplies::on(const wire::FollowState& follow)
{
    if (!follow.caughtUp)
        return;
    RelayRequests::Request request = m_requests.take(follow.requestId);
    complete(request.done, {});
    WatchedCampaign* watched = findWatched(m_campaigns, follow.campaign);
    if (!watched)
        m_log.onCaughtUp(follow);
    if (!watched || follow.requestId != watched->follow)
        return;
    if (watched->files.hasGap())
        return m_actions.follow(*watched);
    watched->isRead = true;
    if (!watched->isOutOfSight) // else the site is asked again, and what is wrong there said once
        watched->unread.reset();
    m_actions.apply(*watched, {campaign::CaughtUp{follow.runnerAlive, wallNs()}});
    watched->isFresh = watched->isRead && !watched->state.inDoubt && watched->state.stage == campaign::Stage::submitted;
}

void CampaignReplies::failReading(WatchedCampaign& watched, std::uint32_t request, const Error& error)
{
    if (error.code != ErrorCode::notFound)
        m_actions.noteUnread(watched, error);
    else if (request == watched.follow) // else it was asked for in another way meanwhile
        m_actions.apply(watched, {campaign::Unreadable{error, wallNs()}});
}

} // namespace ringside
