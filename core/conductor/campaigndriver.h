// SPDX-License-Identifier: MIT
// The campaigns of one site that have not ended: chooses which is handed over next, carries out people's commands,
// passes on what the relay sends.
#pragma once

#include "core/conductor/campaignactions.h"
#include "core/conductor/campaignreplies.h"
#include "core/conductor/controlorder.h"
#include "core/conductor/shownlog.h"

namespace ringside {

/// Used on its site's thread only. Must outlive the store's thread, whose queue may hold jobs of it.
class CampaignDriver
{
public:
    /// All outlive it. `stop` ends waits for the store.
    CampaignDriver(SiteLink& link, StoreThread& store, Sink& sink, std::stop_token stop);

    /// Takes over whatever is unfinished at the site, and when it was last heard of, from the store. A launch that asks
    /// for the site now is among it, and is taken over again with its plan and whom to answer.
    void resume();
    /// Takes over a campaign from the store. Completed once the site has it, or when it waits for another one.
    void watch(const CampaignId& id, Completion<> done);
    /// The same, with its plan as it is stored: reading one of 10,000 runs again is slow.
    void watch(CampaignPlan plan, Completion<> done);
    /// `isWritten`: an order to campaigns that have ended meanwhile is no error.
    void control(const ControlOrder& order, bool isWritten, Completion<> done);
    void collect(Completion<> done);
    /// Completed once all of the log that is there was shown, or another one is asked for.
    void followLog(const RunId& run, const CampaignId& campaign, Completion<> done);

    /// True while a relay is needed.
    bool needsContact() const { return isChosen() || m_log.needsContact(); }
    void onConnected();
    /// Contact was lost, or a try to get it failed.
    void onDisconnected(const Error& error);
    /// The error by which contact was lost, with what that means for the runs.
    Error withOutlook(Error error) const;
    void handle(const wire::Message& message) { m_replies.handle(message); }
    /// To be called every second or so, and after every message.
    void tick();

private:
    void watch(const CampaignId& id, std::optional<CampaignPlan> plan, Completion<> done);
    /// A site carries out one campaign at a time: two would spoil each other's measurements.
    bool isChosen() const { return has(campaign::Stage::submitting) || has(campaign::Stage::submitted); }
    /// One that a person submits does not count: when it runs is not ours to say.
    bool isOccupied() const;
    bool isOutOfSight() const;
    bool has(campaign::Stage stage) const;
    void chooseNext();
    void forgetEnded();
    /// True if its files are there to be read, and there is contact.
    bool isReadable(const WatchedCampaign& watched) const;
    void completeCollects();
    std::vector<WatchedCampaign*> affected(const ControlOrder& order);
    struct Decision
    {
        campaign::State state;
        std::vector<campaign::Action> actions;
    };
    Result<Decision> decide(const WatchedCampaign& watched, const campaign::Event& order);

    SiteLink& m_link;
    StoreThread& m_store;
    Sink& m_sink;
    WatchedCampaigns m_campaigns;
    RelayRequests m_requests;
    ShownLog m_log;
    CampaignActions m_actions;
    CampaignReplies m_replies;
    std::vector<Completion<>> m_collects;
    std::int64_t m_tickedNs = 0;
};

} // namespace ringside
