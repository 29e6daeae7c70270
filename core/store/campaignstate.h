// SPDX-License-Identifier: MIT
#pragma once

#include "core/campaign/campaign.h"
#include "core/store/database.h"
#include "core/store/rows.h"

namespace ringside::store {

/// A campaign as it was last written down, with its runs and those that the site is to cancel, runs that a later
/// campaign has taken over among them. No site is connected yet.
Result<campaign::State> campaignState(const Database& db, const CampaignRow& row);

} // namespace ringside::store
