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
struct Ordered
{
    std::vector<RunId> runs;           ///< that ended
    std::set<std::string> experiments; ///< which it concerns
};
enum class Ends
{
    left,   ///< to the site, which alone knows what has begun
    written ///< for a site that is described no longer: whatever still waits ends
};
/// The same of an order to the campaigns at a site, as they are stored.
Result<Ordered> writeDown(store::Database& db, const std::string& site, const ControlOrder& order, Ends ends);

} // namespace ringside
