// SPDX-License-Identifier: MIT
#include "agent/runner/planfile.h"

#include "core/base/regularfile.h"
#include "core/protocol/layout.h"

namespace ringside::runner {

Result<CampaignPlan> readPlan(const fs::path& campaign)
{
    TRY_ASSIGN(const std::string text, readRegularFile(layout::planFile(campaign), kMaxPlanBytes));
    TRY_ASSIGN(CampaignPlan plan, planFromJson(text));
    if (campaign.filename() != plan.campaign.str())
        return fail(ErrorCode::damaged,
                    fmt::format("{} holds the plan of another campaign, {}.", campaign.string(), plan.campaign.str()));
    return plan;
}

} // namespace ringside::runner
