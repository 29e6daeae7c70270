// SPDX-License-Identifier: MIT
#include "core/conductor/campaigndriver.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/conductor/orders.h"
#include "core/jobs/schedulers/table.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"

#include <algorithm>
#include <utility>

namespace ringside {

using campaign::Stage;

namespace {

constexpr std::int64_t kTickNs = 1'000'000'000;

jobs::Submitter submitterOf(const WatchedCampaign& watched)
{
    return jobs::submitterOf(watched.submission.scheduler).value_or(jobs::Submitter{}); // of a newer version: none
}

bool isByHand(const WatchedCampaign& watched)
{
    return submitterOf(watched).byHand;
}

/// True if it is handed over although others are under way: a job of one run, which has its allocation for itself, or
/// one that a person submits when he likes.
bool goesBeside(const WatchedCampaign& watched)
{
    return isByHand(watched) || (submitterOf(watched).scheduler && watched.plan.runs.size() == 1);
}

} // namespace

CampaignDriver::CampaignDriver(SiteLink& link, StoreThread& store, Sink& sink, std::stop_token stop)
    : m_link(link)
    , m_store(store)
    , m_sink(sink)
    , m_requests(link, store)
    , m_log(m_requests, sink)
    , m_actions(m_requests, store, sink, std::move(stop))
    , m_replies(m_campaigns, m_actions, m_requests, m_log, link, sink)
{
}

// ---- which campaigns

void CampaignDriver::resume()
{
    const std::string& site = m_link.name();
    auto unfinished = m_store.call([](store::Database& db) { return store::campaigns(db, true); });
    if (!unfinished)
        return m_sink.problem(unfinished.error());
    std::erase_if(*unfinished, [&](const store::CampaignRow& campaign) { return campaign.site != site; });
    if (unfinished->empty())
        return;
    if (const auto heard = m_store.call([&](store::Database& db) { return store::lastHeard(db, site); }); !heard)
        m_sink.problem(heard.error());
    else if (*heard)
        m_link.setLastHeard(**heard);
    for (const store::CampaignRow& campaign : *unfinished)
        watch(campaign.id, {});
}

void CampaignDriver::watch(const CampaignId& id, Completion<> done)
{
    watch(id, std::nullopt, std::move(done));
}

void CampaignDriver::watch(CampaignPlan plan, Completion<> done)
{
    const CampaignId id = plan.campaign;
    watch(id, std::move(plan), std::move(done));
}

void CampaignDriver::watch(const CampaignId& id, std::optional<CampaignPlan> plan, Completion<> done)
{
    auto loaded = loadCampaign(m_store, id, std::move(plan));
    if (!loaded) {
        m_sink.problem(loaded.error());
        return complete(done, tl::unexpected(loaded.error()));
    }
    WatchedCampaign& watched = m_campaigns.insert_or_assign(id, std::move(*loaded)).first->second;
    watched.launch = std::move(done);
    watched.state.connected = m_link.isConnected();
    if (watched.state.stage == Stage::waiting && (isOutOfSight() || (!goesBeside(watched) && isOccupied())))
        complete(watched.launch, {}); // its runs say what they wait for
    if (m_link.isConnected() && isHandedOver(watched.state.stage))
        m_actions.apply(watched, {campaign::Connected{}});
}

bool CampaignDriver::has(Stage stage) const
{
    return std::ranges::any_of(m_campaigns, [&](const auto& each) { return each.second.state.stage == stage; });
}

bool CampaignDriver::isOccupied() const
{
    return std::ranges::any_of(m_campaigns, [](const auto& each) {
        const Stage stage = each.second.state.stage;
        return (stage == Stage::submitting || stage == Stage::submitted) && !isByHand(each.second);
    });
}

/// A campaign that is handed over where the disk of another one is away would make that one look lost.
bool CampaignDriver::isOutOfSight() const
{
    return std::ranges::any_of(m_campaigns, [](const auto& each) { return each.second.isOutOfSight; });
}

void CampaignDriver::chooseNext()
{
    if (!m_actions.mayChoose())
        return;
    const bool mayBegin = !isOutOfSight();
    const bool isFree = !isOccupied();
    const auto isDue = [&](const WatchedCampaign& watched) {
        const campaign::State& state = watched.state;
        return state.stage == Stage::waiting &&
               (state.cancelled || (mayBegin && !state.held && (isFree || goesBeside(watched))));
    };
    WatchedCampaign* next = nullptr;
    for (auto& [id, watched] : m_campaigns)
        if (isDue(watched) && (!next || watched.createdAt < next->createdAt))
            next = &watched;
    if (next)
        m_actions.choose(*next);
}

void CampaignDriver::forgetEnded()
{
    for (auto next = m_campaigns.begin(); next != m_campaigns.end();) {
        const auto each = next++;
        if (each->second.state.stage != Stage::ended || !m_actions.isSettled(each->second))
            continue;
        m_requests.unfollow(each->first);
        complete(each->second.launch, {});
        m_campaigns.erase(each);
    }
}

void CampaignDriver::onConnected()
{
    for (auto& [id, watched] : m_campaigns)
        m_actions.apply(watched, {campaign::Connected{}});
}

void CampaignDriver::onDisconnected(const Error& error)
{
    m_requests.onDisconnected(error);
    for (Completion<>& done : std::exchange(m_collects, {}))
        complete(done, tl::unexpected(error));
    const auto isShown = [&](const auto& each) { return each.second.state.runs.contains(m_log.run()); };
    m_log.onDisconnected(std::ranges::any_of(m_campaigns, isShown));
    for (auto& [id, watched] : m_campaigns) {
        complete(watched.launch, tl::unexpected(error));
        watched.failed.reset();
        m_actions.apply(watched, {campaign::Disconnected{m_link.lostAt()}});
    }
}

Error CampaignDriver::withOutlook(Error error) const
{
    if (has(Stage::submitted))
        error.hint = Words::tr("Jobs continue there; samples will be fetched.");
    else if (has(Stage::submitting))
        error.hint = Words::tr("It has not confirmed the runs; they are submitted as soon as it answers.");
    return error;
}

void CampaignDriver::tick()
{
    forgetEnded();
    chooseNext();
    forgetEnded();
    completeCollects();
    if (monotonicNs() - m_tickedNs < kTickNs)
        return;
    m_tickedNs = monotonicNs();
    for (auto& [id, watched] : m_campaigns) {
        m_actions.apply(watched, {campaign::Ticked{}});
        if (watched.unread && isReadable(watched) && monotonicNs() >= watched.readAgainNs)
            m_actions.follow(watched);
    }
}

bool CampaignDriver::isReadable(const WatchedCampaign& watched) const
{
    return m_link.isConnected() && watched.state.stage == Stage::submitted;
}

// ---- commands

std::vector<WatchedCampaign*> CampaignDriver::affected(const ControlOrder& order)
{
    std::vector<WatchedCampaign*> campaigns;
    for (auto& [id, watched] : m_campaigns) {
        const bool has = concerns(order, watched.plan.experiment, watched.state);
        if (has && watched.state.stage != Stage::ended) // is forgotten in a moment
            campaigns.push_back(&watched);
    }
    return campaigns;
}

/// An order that cannot be written down is neither done nor remembered: asked for again, it is written down then.
void CampaignDriver::control(const ControlOrder& order, bool isWritten, Completion<> done)
{
    const std::vector<WatchedCampaign*> campaigns = affected(order);
    if (campaigns.empty())
        return complete(done, isWritten ? Result<void>() : tl::unexpected(nothingTo(order.control.kind)));
    const auto tell = [this](const Error& further) { m_sink.problem(further); };
    Result<void> kept;
    std::vector<std::pair<WatchedCampaign*, Decision>> decisions;
    for (WatchedCampaign* watched : campaigns) {
        if (auto decision = decide(*watched, campaign::Asked{order.control, wallNs()}))
            decisions.emplace_back(watched, std::move(*decision));
        else if (kept)
            kept = tl::unexpected(decision.error());
        else
            tell(decision.error());
    }
    const auto end = [this, tell, kept, done = std::move(done)](const Result<void>& told) {
        if (!kept && !told)
            tell(told.error());
        m_store.post([kept, told, done](store::Database&) mutable { complete(done, kept ? told : kept); });
    };
    CompletionOfAll command(end, tell);
    for (auto& [watched, decision] : decisions) {
        watched->state = std::move(decision.state);
        m_actions.carryOut(*watched, decision.actions, command);
    }
    command.finish(); // what was not sent is sent as soon as the site answers
}

/// Decides what an order makes of a campaign; it is written down when this returns.
Result<CampaignDriver::Decision> CampaignDriver::decide(const WatchedCampaign& watched, const campaign::Event& order)
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
        if (isReadable(watched))
            m_actions.follow(watched);
    }
}

void CampaignDriver::completeCollects()
{
    if (m_collects.empty())
        return;
    for (const auto& [id, watched] : m_campaigns)
        if (isHandedOver(watched.state.stage) && (!watched.isFresh || m_requests.awaitsOrder(id)))
            return;
    Result<void> read;
    for (const auto& [id, watched] : m_campaigns)
        if (const auto& obstacle = watched.unread ? watched.unread : watched.refusedOrder)
            read = tl::unexpected(*obstacle);
    m_store.post([this, open = std::exchange(m_collects, {}), read](store::Database& db) mutable {
        if (const auto refreshed = store::refreshSummaries(db, [this](const Error& error) { m_sink.problem(error); }))
            m_store.announce(*refreshed);
        else
            read = tl::unexpected(refreshed.error());
        for (Completion<>& done : open)
            complete(done, read);
    });
}

void CampaignDriver::followLog(const RunId& run, const CampaignId& campaign, Completion<> done)
{
    m_log.show(run, campaign);
    WatchedCampaign* watched = findWatched(m_campaigns, campaign);
    if (watched)
        watched->files.rewindLogs(run);
    if (campaign.empty() || (watched && !isReadable(*watched)))
        return complete(done, {});
    if (watched)
        m_actions.follow(*watched, RelayRequests::Purpose::log, std::move(done));
    else
        m_log.followEnded(std::move(done));
}

} // namespace ringside
