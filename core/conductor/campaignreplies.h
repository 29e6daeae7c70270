// SPDX-License-Identifier: MIT
// Handles the relay's messages about the campaigns of a site: applies them to the campaigns, completes requests, and
// reports to the sink.
#pragma once

#include "core/conductor/campaignactions.h"
#include "core/conductor/shownlog.h"

namespace ringside {

/// Used on its site's thread only.
class CampaignReplies
{
public:
    /// All outlive it.
    CampaignReplies(WatchedCampaigns& campaigns, CampaignActions& actions, RelayRequests& requests, ShownLog& log,
                    const SiteLink& link, Sink& sink);

    void handle(const wire::Message& message);

private:
    using Purpose = RelayRequests::Purpose;

    void on(const wire::SubmitReply& reply);
    void on(const wire::StatusReply& reply);
    void on(const wire::ControlReply& reply);
    void on(const wire::ErrorReply& reply);
    void on(const wire::FileChunk& chunk);
    void on(const wire::FollowState& follow);
    template <class Other> void on(const Other&) {} // a relay sends nothing else that asks for an answer
    void applyStatus(WatchedCampaign& watched, const wire::CampaignStatus& status);
    std::optional<Error> elsewhere(const WatchedCampaign& watched) const;
    std::optional<Error> outOfSight(const WatchedCampaign& watched, const wire::CampaignStatus& status) const;
    Error explained(const WatchedCampaign* watched, const Error& error) const;
    void takeContent(WatchedCampaign& watched, const wire::FileChunk& chunk, ChunkContent content);
    void failSubmission(WatchedCampaign& watched, const Error& error);
    bool refuseOrder(WatchedCampaign& watched, Control::Kind order, const Error& error);
    void failCancel(WatchedCampaign& watched, const Error& error);
    void settleSubmission(WatchedCampaign& watched, const wire::CampaignStatus& status);
    void failReading(WatchedCampaign& watched, std::uint32_t request, const Error& error);

    WatchedCampaigns& m_campaigns;
    CampaignActions& m_actions;
    RelayRequests& m_requests;
    ShownLog& m_log;
    const SiteLink& m_link;
    Sink& m_sink;
};

} // namespace ringside
