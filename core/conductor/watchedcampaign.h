// SPDX-License-Identifier: MIT
// A campaign that has not ended, with what is known of it besides what is stored.
#pragma once

#include "core/campaign/campaign.h"
#include "core/conductor/campaignfiles.h"
#include "core/conductor/completion.h"
#include "core/conductor/storethread.h"
#include "core/protocol/plan.h"

namespace ringside {

struct WatchedCampaign
{
    explicit WatchedCampaign(const CampaignId& id)
        : files(id)
    {
    }
    campaign::State state;
    campaign::Stage stored = campaign::Stage::waiting; ///< as it was last written down
    CampaignFiles files;
    CampaignPlan plan;
    store::Submission submission;
    std::int64_t createdAt = 0;
    Completion<> launch;         ///< completed once the site has it
    std::uint32_t follow = 0;    ///< request of the latest Follow: only what it says counts
    bool isRead = false;         ///< all that was there when last asked for has been read …
    bool isFresh = false;        ///< … and where that leaves a doubt, the site has said how it stands
    std::optional<Error> unread; ///< why it could not be read when last asked for, or a succession not be written
                                 ///< down; it is asked for again
    bool isOutOfSight = false;   ///< its site holds no campaigns at all: what is there may be another disk
    std::optional<Error> failed; ///< why it could not be submitted; the site may have it all the same
    std::int64_t readAgainNs = 0;
    std::optional<Error> refusedOrder; ///< what the site said of the latest order, if it refused it: reported once
};

using WatchedCampaigns = std::map<CampaignId, WatchedCampaign>;

/// Null if it is not watched.
inline WatchedCampaign* findWatched(WatchedCampaigns& campaigns, const CampaignId& id)
{
    const auto found = campaigns.find(id);
    return found == campaigns.end() ? nullptr : &found->second;
}

/// A campaign as it is written down.
struct StoredCampaign
{
    store::CampaignRow row;
    campaign::State state;
};

/// Waits for the store's thread.
Result<StoredCampaign> readCampaign(StoreThread& store, const CampaignId& id);
/// The same. Without its plan that is read from the store, too.
Result<WatchedCampaign> loadCampaign(StoreThread& store, const CampaignId& id, std::optional<CampaignPlan> plan);

} // namespace ringside
