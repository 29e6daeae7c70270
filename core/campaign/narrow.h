// SPDX-License-Identifier: MIT
#pragma once

#include "core/campaign/campaign.h"
#include "core/protocol/plan.h"

namespace ringside::campaign {

/// Leaves in a plan that is about to be handed over what is still to be done: neither what was cancelled while it
/// waited, nor what another campaign has done meanwhile or is to do since. Numbers the next attempt behind those that
/// are known by now. True if that changed the plan. Pure.
bool narrow(CampaignPlan& plan, const State& state);

} // namespace ringside::campaign
