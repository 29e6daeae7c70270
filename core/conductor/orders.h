// SPDX-License-Identifier: MIT
// People's orders to campaigns, written down in the store. On its thread.
#pragma once

#include "core/campaign/campaign.h"
#include "core/conductor/controlorder.h"
#include "core/store/database.h"

#include <set>
#include <string>
#include <vector>

namespace ringside {

/// True if the order is about a campaign of this experiment.
bool concerns(const ControlOrder& order, const std::string& experiment, const campaign::State& state);
/// The error of an order that concerns no campaign.
Error nothingTo(Control::Kind kind);
/// Writes down what was asked for, as far as these actions say it.
Result<void> writeDown(store::Database& db, const CampaignId& id, const std::vector<campaign::Action>& actions);
/// The same of an order to the campaigns at a site, as they are stored. Returns whether it concerns one.
Result<bool> writeDown(store::Database& db, const std::string& site, const ControlOrder& order);

struct Ordered
{
    std::vector<RunId> runs; ///< that ended
    std::set<std::string> experiments;
};
/// Carries out an order where no site is informed of it, since this one is described no longer: whatever still waits
/// ends. The store holds of the rest what was asked for, should the site come back.
Result<Ordered> orderWithoutSite(store::Database& db, const std::string& site, const ControlOrder& order);

} // namespace ringside
