// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/protocol/plan.h"

namespace ringside::runner {

/// The plan in a campaign's folder. Fails with notFound where there is none, and with damaged where it is that of
/// another campaign. Blocking.
Result<CampaignPlan> readPlan(const fs::path& campaign);

} // namespace ringside::runner
