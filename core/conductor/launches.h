// SPDX-License-Identifier: MIT
// Plans the campaign that does what is missing of an experiment in the store. On the store's thread.
#pragma once

#include "core/planning/launch.h"
#include "core/protocol/plan.h"
#include "core/sites/readysite.h"
#include "core/store/database.h"

namespace ringside {

/// Stores a revision, with its cells on its own site and where it has run.
Result<void> storeExperiment(store::Database& db, const spec::Experiment& experiment);

/// Fails for one that was deleted since its launch was asked for, which would come back with it.
Result<void> requireStored(const store::Database& db, const std::string& experiment);

/// Returns what storeLaunch() would store, as its campaigns would be handed over. Stores nothing.
Result<LaunchPreview> previewLaunch(const store::Database& db, const LaunchRequest& request, const ReadySite& ready);

/// Stores the revision that comes with the launch, and the campaigns that do what is missing: one, or one a run where
/// each is to be a job; none if nothing is. All of it or nothing. Returns their plans as they are stored.
Result<std::vector<CampaignPlan>> storeLaunch(store::Database& db, const LaunchRequest& request,
                                              const ReadySite& ready);

} // namespace ringside
