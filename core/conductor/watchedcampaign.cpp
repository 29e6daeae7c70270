// SPDX-License-Identifier: MIT
#include "core/conductor/watchedcampaign.h"

#include "core/base/words.h"
#include "core/store/campaignstate.h"
#include "core/store/queries.h"

namespace ringside {

Result<StoredCampaign> readCampaign(StoreThread& store, const CampaignId& id)
{
    return store.call([id](store::Database& db) -> Result<StoredCampaign> {
        TRY_ASSIGN(const auto row, store::campaignById(db, id));
        if (!row)
            return fail(ErrorCode::notFound, Words::tr("The campaign is no longer in the store."));
        TRY_ASSIGN(campaign::State state, store::campaignState(db, *row));
        return StoredCampaign{*row, std::move(state)};
    });
}

Result<WatchedCampaign> loadCampaign(StoreThread& store, const CampaignId& id, std::optional<CampaignPlan> plan)
{
    TRY_ASSIGN(StoredCampaign stored, readCampaign(store, id));
    WatchedCampaign watched(id);
    watched.state = std::move(stored.state);
    watched.stored = watched.state.stage;
    watched.createdAt = stored.row.createdAt;
    if (!plan) {
        TRY_ASSIGN(plan, planFromJson(stored.row.planJson));
    }
    watched.plan = std::move(*plan);
    watched.submission = stored.row.submission;
    return watched;
}

} // namespace ringside
