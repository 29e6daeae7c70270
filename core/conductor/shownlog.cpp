// SPDX-License-Identifier: MIT
#include "core/conductor/shownlog.h"

namespace ringside {

ShownLog::ShownLog(RelayRequests& requests, Sink& sink)
    : m_requests(requests)
    , m_sink(sink)
{
}

void ShownLog::show(const RunId& run, const CampaignId& campaign)
{
    m_requests.completeLogs();
    m_run = run;
    m_campaign = campaign;
    m_files.reset();
}

void ShownLog::followEnded(Completion<> done)
{
    m_files.emplace(m_campaign);
    m_follow = m_requests.follow(*m_files, {m_campaign, std::move(done), RelayRequests::Purpose::log}).value_or(0);
}

CampaignFiles* ShownLog::filesOf(const CampaignId& campaign)
{
    return m_files && campaign == m_campaign ? &*m_files : nullptr;
}

void ShownLog::add(const CampaignId& campaign, const ChunkContent& content)
{
    if (!content.log || m_run.empty() || campaign != m_campaign)
        return;
    LogText log = *content.log;
    if (log.run.empty())
        log.run = m_run;
    if (log.run == m_run)
        m_sink.logArrived(log);
}

void ShownLog::onCaughtUp(const wire::FollowState& follow)
{
    if (follow.requestId != m_follow || !filesOf(follow.campaign))
        return;
    m_files.reset();
    m_requests.unfollow(follow.campaign);
}

void ShownLog::onDisconnected(bool isWatched)
{
    m_files.reset();
    if (!isWatched)
        show({}, {});
}

} // namespace ringside
