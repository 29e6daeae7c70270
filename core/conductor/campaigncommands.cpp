// SPDX-License-Identifier: MIT
// What people ask of the campaigns of a site.
#include "core/base/words.h"
#include "core/conductor/campaigndriver.h"
#include "core/conductor/translate.h"
#include "core/store/summaries.h"

namespace ringside {

using campaign::Stage;

std::vector<CampaignId> CampaignDriver::affected(const ControlRequest& request) const
{
    std::vector<CampaignId> ids;
    for (const auto& [id, watched] : m_campaigns) {
        const bool has = request.run ? watched.state.runs.contains(*request.run)
                                     : request.experiment.empty() || request.experiment == watched.plan.experiment;
        if (has)
            ids.push_back(id);
    }
    return ids;
}

void CampaignDriver::control(const ControlRequest& request, Answer answer)
{
    const std::vector<CampaignId> ids = affected(request);
    if (ids.empty())
        return tell(answer, fail(ErrorCode::notFound, Words::tr("Nothing of this runs or waits."),
                                 Words::tr("There is nothing to end.")));
    m_command = std::move(answer);
    for (const CampaignId& id : ids)
        apply(m_campaigns.at(id), eventOf(request));
    // Whatever was not sent is written down (a reply answers the rest); it is sent as soon as the site answers.
    keep([left = std::exchange(m_command, {})](store::Database&) mutable { tell(left, {}); });
}

void CampaignDriver::collect(Answer answer)
{
    m_collects.push_back(std::move(answer));
    for (auto& [id, watched] : m_campaigns) {
        watched.isFresh = false;
        if (m_link.isConnected() && watched.state.stage == Stage::submitted)
            act(watched, campaign::Follow{});
    }
}

void CampaignDriver::answerCollects()
{
    if (m_collects.empty())
        return;
    for (const auto& [id, watched] : m_campaigns)
        if (isHandedOver(watched.state.stage) && !watched.isFresh)
            return;
    keep([answers = std::exchange(m_collects, {})](store::Database& db) mutable {
        const auto refreshed = store::refreshSummaries(db);
        for (Answer& answer : answers)
            tell(answer, refreshed ? Result<void>() : tl::unexpected(refreshed.error()));
    });
}

void CampaignDriver::followLog(const RunId& run, const CampaignId& campaign, Answer answer)
{
    for (auto& [id, request] : m_requests)
        if (request.purpose == Purpose::log)
            tell(request.answer, {});
    m_logRun = run;
    m_logCampaign = campaign;
    m_logsOnly.clear();
    Watched* watched = find(campaign);
    if (watched)
        watched->files.rewindLogs(run);
    if (campaign.empty() || (watched && (!m_link.isConnected() || watched->state.stage != Stage::submitted)))
        return tell(answer, {});
    CampaignFiles& files = watched ? watched->files : m_logsOnly.emplace(campaign, campaign).first->second;
    m_logFollow = sendFollow(files, {campaign, std::move(answer), Purpose::log});
    if (watched) {
        watched->follow = m_logFollow;
        watched->isFresh = watched->isRead = false;
    }
}

} // namespace ringside
