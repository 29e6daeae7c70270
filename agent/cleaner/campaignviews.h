// SPDX-License-Identifier: MIT
// The campaigns of a site as clean-up sees them: whose they are, whether they are over, what they need.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/reason.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ringside::cleaner {

struct CampaignView
{
    CampaignId id;
    bool isRead = false; ///< its plan, which may be damaged, or of a later version; else what is in it is empty here
    StoreId store;
    std::string experiment;
    std::set<RunId> runs;
    Reason busy;         ///< why it is not touched now; empty if nothing prevents it
    std::string worker;  ///< path of its ringside-worker
    std::string script;  ///< has the path of its agent
    std::string engines; ///< how its systems are started; has the paths of their environments
    std::int64_t usedNs = 0;
};

/// Returns why a campaign (its folder) is not touched now: its runner may live, or its job may start. Empty where
/// neither is so. Blocking: reads its journal, and may ask its scheduler.
Reason whyBusy(const fs::path& campaign);

/// With `asker`, a store, those of other stores are busy until they are over: only their own store knows whether it has
/// given them up. One in which nothing was done for a month is taken for such a one. Blocking: reads plans and
/// journals.
std::vector<CampaignView> campaignViews(const fs::path& root, const StoreId& asker = {});

} // namespace ringside::cleaner
