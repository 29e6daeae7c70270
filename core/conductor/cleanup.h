// SPDX-License-Identifier: MIT
// Decides what may be removed from a site, and changed there, as far as the store knows. On the store's thread.
#pragma once

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
    std::vector<Campaign> campaigns; ///< of the sites
};
/// Those of one site, by all names that it is known by (SiteBook::onRootOf).
Result<Unfinished> unfinishedAt(const store::Database& db, const std::set<std::string>& sites);

/// States how much is stored of the items to be removed, and of the runs of such campaigns: the site retains what goes
/// beyond it. Leaves out what has not ended, and what that needs. All that it says is stored is on disk.
Result<wire::DeleteRequest> deletionOf(store::Database& db, const std::set<std::string>& sites,
                                       const std::vector<wire::Item>& items);
/// Says of what is not to be removed from here why; it is listed, so that it is known to be there.
void markKept(std::vector<wire::InstalledItem>& items, const StoreId& own, const Unfinished& unfinished);

} // namespace ringside
