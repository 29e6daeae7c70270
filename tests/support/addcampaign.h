// SPDX-License-Identifier: MIT
#pragma once

#include "core/store/edits.h"

#include <utility>
#include <vector>

namespace ringside::test {

/// Stores one campaign, as store::addCampaigns does with several.
inline Result<void> addCampaign(store::Database& db, CampaignPlan& plan, const store::Submission& submission = {})
{
    std::vector plans{std::move(plan)};
    const auto added = store::addCampaigns(db, plans, {submission});
    plan = std::move(plans.front());
    return added;
}

} // namespace ringside::test
