// SPDX-License-Identifier: MIT
// Applies events to the campaigns of a site and carries out what core/campaign decides: records it in the store, asks
// the relay.
#pragma once

#include "core/conductor/relayrequests.h"
#include "core/conductor/watchedcampaign.h"

#include <stop_token>

namespace ringside {

/// Used on its site's thread only. Must outlive the store's thread, whose queue may hold jobs of it.
class CampaignActions
{
public:
    using Purpose = RelayRequests::Purpose;

    /// All outlive it. `stop` ends waits for the store.
    CampaignActions(RelayRequests& requests, StoreThread& store, Sink& sink, std::stop_token stop);

    /// Changes of runs that follow, and what arrived with the events, go into one transaction.
    void apply(WatchedCampaign& watched, const std::vector<campaign::Event>& events,
               std::vector<store::Arrival> arrived = {});
    /// Carries out what a person's order means, which is written down. Each request to the site is a part of `command`.
    void carryOut(WatchedCampaign& watched, const std::vector<campaign::Action>& actions, CompletionOfAll& command);

    /// False for a while after a stage could not be written down.
    bool mayChoose() const;
    /// True if nothing is left to do for a campaign that is over. An end that could not be written down is tried again.
    bool isSettled(WatchedCampaign& watched);
    /// Hands over what is still to be done of a campaign.
    void choose(WatchedCampaign& watched);
    /// Asks for what is new of it.
    void follow(WatchedCampaign& watched, Purpose purpose = Purpose::reading, Completion<> done = {});
    /// It could not be read; reported once for the same reason. A wait for new records ends here; the campaign is read
    /// again after a while.
    void noteUnread(WatchedCampaign& watched, const Error& error);

    // The site's decision about a submission.
    void accept(WatchedCampaign& watched, const std::string& job);
    void refuse(WatchedCampaign& watched, const Error& error);
    /// Reported once for the same reason, whichever request met it.
    void postpone(WatchedCampaign& watched, Error error);

private:
    void carryOut(WatchedCampaign& watched, const std::vector<campaign::Action>& actions,
                  std::vector<store::Arrival>& arrivals);
    void flush(std::vector<store::Arrival>& arrivals);
    Result<void> narrow(WatchedCampaign& watched);
    void pauseChoosing();
    std::optional<Error> misplaced(const WatchedCampaign& watched) const;
    void announceExperiment(const WatchedCampaign& watched);

    void act(WatchedCampaign& watched, const campaign::SaveStage& action);
    void act(WatchedCampaign& watched, const campaign::SaveHeld&) { announceExperiment(watched); }
    void act(WatchedCampaign& watched, const campaign::SaveCancelled&) { announceExperiment(watched); }
    void act(WatchedCampaign& watched, const campaign::SaveRunCancelled& action);
    void act(WatchedCampaign& watched, const campaign::SaveContact& action);
    void act(WatchedCampaign& watched, const campaign::Submit& action);
    void act(WatchedCampaign& watched, const campaign::AskStatus& action);
    void act(WatchedCampaign& watched, const campaign::Follow&) { follow(watched); }
    void act(WatchedCampaign& watched, const Control& control);
    void act(WatchedCampaign&, const campaign::SaveRun&) {} // goes with the arrivals

    RelayRequests& m_requests;
    StoreThread& m_store;
    Sink& m_sink;
    std::stop_token m_stop;
    CompletionOfAll* m_command = nullptr; ///< whose requests are being sent
    std::int64_t m_chooseAtNs = 0;
};

} // namespace ringside
