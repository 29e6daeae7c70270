// SPDX-License-Identifier: MIT
// Makes the requests to a relay about campaigns, sends them, and remembers those that await a reply.
#pragma once

#include "core/conductor/campaignfiles.h"
#include "core/conductor/completion.h"
#include "core/conductor/sitelink.h"
#include "core/conductor/storethread.h"
#include "core/protocol/plan.h"

#include <map>

namespace ringside {

struct WatchedCampaign;

/// Used on its site's thread only. A failed send is noticed, too, by the receive that follows, which drops the line;
/// then all of this is asked again. A message that is too large to be sent stays so: it is an error.
class RelayRequests
{
public:
    enum class Purpose
    {
        other,
        submission, ///< or what became of it
        order,      ///< of a person, and written down: without an answer it is sent again at the next contact
        reading,    ///< whatever is new of a campaign
        log         ///< an error is reported only to the caller that asked for it
    };
    /// A request that awaits its reply.
    struct Request
    {
        CampaignId campaign;
        Completion<> done = {};
        Purpose purpose = Purpose::other;
        Control::Kind order = Control::Kind::hold; ///< as far as that is its purpose
    };

    /// Both outlive it.
    RelayRequests(SiteLink& link, StoreThread& store);

    /// The roots of a campaign's files and of the site now, where these are not the same; nullopt also without a line.
    struct Roots
    {
        fs::path then, now;
    };
    std::optional<Roots> movedRoot(const CampaignPlan& plan) const;

    /// `plan` as it is stored: the site compares the text of one that it has, and an earlier version may have written
    /// it otherwise.
    Result<void> submit(const WatchedCampaign& watched, std::string plan);
    void askStatus(const CampaignId& campaign, Purpose purpose);
    /// Asks for what lies behind the stored cursors; returns the id of the request. `lostPlan` reminds the site of a
    /// plan that it has lost.
    Result<std::uint32_t> follow(CampaignFiles& files, Request request, const std::string& lostPlan = {});
    /// Gives the caller that awaits one Follow to the request that takes its place, if that has none of its own: the
    /// relay answers the latest alone.
    void replace(std::uint32_t id, Request& by);
    void unfollow(const CampaignId& campaign);
    void control(const CampaignId& campaign, const Control& control, Completion<> done);
    /// True while an order to this campaign was sent and not answered.
    bool awaitsOrder(const CampaignId& campaign) const;

    /// The request that this is the reply to, which awaits none any more; an empty one if there is none.
    Request take(std::uint32_t id);
    /// Completes the requests for logs, since another log is asked for; their replies are still awaited.
    void completeLogs();
    void onDisconnected(const Error& error);

private:
    template <class Message> Result<std::uint32_t> ask(Message message, Request request);

    SiteLink& m_link;
    StoreThread& m_store;
    std::map<std::uint32_t, Request> m_open;
};

} // namespace ringside
