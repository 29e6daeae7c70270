// SPDX-License-Identifier: MIT
// Decides what may be removed from a site, and installed there, as far as the store knows. On the store's thread, if
// nothing else is said.
#pragma once

#include "core/protocol/installedengine.h"
#include "core/store/database.h"
#include "core/wire/messages.h"

#include <set>
#include <string>
#include <vector>

namespace ringside {

/// Campaigns that have not ended as far as the store knows: a site may take one over whose runner died, or whose end
/// has not come here yet, and those that still wait here are unknown to it.
struct Unfinished
{
    /// Returns why an item stays; empty: none of these campaigns needs it.
    Reason whyKept(const wire::Item& item) const;

    struct Campaign
    {
        CampaignId id;
        std::string experiment;
        std::string files; ///< its plan and its script, which have the paths of programs
    };
    std::set<std::string> names;     ///< of all campaigns and their runs
    std::vector<Campaign> campaigns; ///< of the site
};
Result<Unfinished> unfinishedAt(const store::Database& db, const std::string& site);

/// States how much is stored of the items to be removed, and of the runs of such campaigns: the site retains what goes
/// beyond it. Leaves out what has not ended, and what that needs. All that it says is stored is on disk.
Result<wire::DeleteRequest> deletionOf(store::Database& db, const std::string& site,
                                       const std::vector<wire::Item>& items);
/// Fails with busy, and says `whyKept`, where an installation would change a system that works. What is as it is asked
/// for is not changed, and of use to no campaign is what is not `there`, or whose interpreter is gone. Any thread.
Result<void> checkInstallation(const wire::EngineRequest& request, const InstalledEngines& there,
                               const Reason& whyKept);
/// Says of what is not to be removed from here why; it is listed, so that it is known to be there.
void markKept(std::vector<wire::InstalledItem>& items, const StoreId& own, const Unfinished& unfinished);

} // namespace ringside
