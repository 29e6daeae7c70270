// SPDX-License-Identifier: MIT
// Carries out people's commands for the campaigns of a site.
#include "core/base/clock.h"
#include "core/conductor/campaigndriver.h"
#include "core/conductor/orders.h"
#include "core/store/summaries.h"

#include <utility>

namespace ringside {

using campaign::Stage;

std::vector<CampaignId> CampaignDriver::affected(const ControlOrder& order) const
{
    std::vector<CampaignId> ids;
    for (const auto& [id, watched] : m_campaigns) {
        const bool has = concerns(order, watched.plan.experiment, watched.state);
        if (has && watched.state.stage != Stage::ended) // is forgotten in a moment
            ids.push_back(id);
    }
    return ids;
}

/// An order that cannot be written down is neither done nor remembered: asked for again, it is written down then.
void CampaignDriver::control(const ControlOrder& order, Completion<> done)
{
    const std::vector<CampaignId> ids = affected(order);
    if (ids.empty())
        return complete(done, tl::unexpected(nothingTo(order.control.kind)));
    Result<void> kept;
    std::vector<std::pair<Watched*, Decision>> decisions;
    for (const CampaignId& id : ids) {
        Watched& watched = m_campaigns.at(id);
        if (auto decision = decide(watched, campaign::Asked{order.control, wallNs()}))
            decisions.emplace_back(&watched, std::move(*decision));
        else
            kept = tl::unexpected(decision.error());
    }
    m_command = [this, kept, done = std::move(done)](const Result<void>& told) {
        keep([kept, told, done](store::Database&) mutable { complete(done, kept ? told : kept); });
    };
    for (auto& [watched, decision] : decisions) {
        watched->state = std::move(decision.state);
        std::vector<store::Arrival> arrivals;
        carryOut(*watched, decision.actions, arrivals);
        flush(arrivals);
    }
    complete(m_command, {}); // what was not sent is sent as soon as the site answers; a reply answers the rest
}

/// Decides what an order makes of a campaign; it is written down when this returns.
Result<CampaignDriver::Decision> CampaignDriver::decide(const Watched& watched, const campaign::Event& order)
{
    Decision decision{watched.state, {}};
    decision.actions = step(decision.state, order);
    TRY(m_store.call([&](store::Database& db) { return writeDown(db, watched.plan.campaign, decision.actions); }));
    return decision;
}

void CampaignDriver::collect(Completion<> done)
{
    m_collects.push_back(std::move(done));
    for (auto& [id, watched] : m_campaigns) {
        watched.isFresh = false;
        watched.unread.reset();
        if (m_link.isConnected() && watched.state.stage == Stage::submitted)
            act(watched, campaign::Follow{});
    }
}

void CampaignDriver::completeCollects()
{
    if (m_collects.empty())
        return;
    for (const auto& [id, watched] : m_campaigns)
        if (isHandedOver(watched.state.stage) && !watched.isFresh)
            return;
    Result<void> read;
    for (const auto& [id, watched] : m_campaigns)
        if (watched.unread)
            read = tl::unexpected(*watched.unread);
    keep([open = std::exchange(m_collects, {}), read](store::Database& db) mutable {
        if (const auto refreshed = store::refreshSummaries(db); !refreshed)
            read = tl::unexpected(refreshed.error());
        for (Completion<>& done : open)
            complete(done, read);
    });
}

void CampaignDriver::followLog(const RunId& run, const CampaignId& campaign, Completion<> done)
{
    for (auto& [id, request] : m_requests)
        if (request.purpose == Purpose::log)
            complete(request.done, {});
    m_logRun = run;
    m_logCampaign = campaign;
    m_logsOnly.clear();
    Watched* watched = find(campaign);
    if (watched)
        watched->files.rewindLogs(run);
    if (campaign.empty() || (watched && (!m_link.isConnected() || watched->state.stage != Stage::submitted)))
        return complete(done, {});
    CampaignFiles& files = watched ? watched->files : m_logsOnly.emplace(campaign, campaign).first->second;
    const auto sent = sendFollow(files, {campaign, std::move(done), Purpose::log});
    m_logFollow = sent.value_or(0);
    if (watched)
        await(*watched, sent);
}

} // namespace ringside
