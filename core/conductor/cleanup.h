// SPDX-License-Identifier: MIT
// Decides what may be removed from a site, as far as the store knows. On the store's thread.
#pragma once

#include "core/store/database.h"
#include "core/wire/messages.h"

#include <set>
#include <string>
#include <vector>

namespace ringside {

/// Campaigns that have not ended as far as the store knows, and their runs: the site may take one for over whose runner
/// died, or whose end has not come here yet.
Result<std::set<std::string>> unfinishedNames(const store::Database& db);
/// States how much is stored of the items to be removed, and of the runs of such campaigns: the site retains what goes
/// beyond it. Leaves out what has not ended. All that it says is stored is on disk.
Result<wire::DeleteRequest> deletionOf(store::Database& db, const std::string& site,
                                       const std::vector<wire::Item>& items);
/// Says of what is not to be removed from here why; it is listed, so that it is known to be there.
void markKept(std::vector<wire::InstalledItem>& items, const StoreId& own, const std::set<std::string>& unfinished);

} // namespace ringside
