// SPDX-License-Identifier: MIT
// From an experiment in the store to the campaign that does what is missing of it. On the store's thread.
#pragma once

#include "core/conductor/conductor.h"
#include "core/conductor/readysite.h"
#include "core/protocol/plan.h"
#include "core/store/database.h"

namespace ringside {

/// Keeps a revision, with its cells on its own site, where it has run, and on `besides`.
Result<void> keepExperiment(store::Database& db, const spec::Experiment& experiment, const std::string& besides);

/// What a launch would hand over of this experiment, stored like this or not; without one, of the stored one. Stores
/// nothing.
Result<LaunchPreview> previewLaunch(const store::Database& db, const LaunchRequest& request, const ReadySite& ready,
                                    const std::optional<spec::Experiment>& experiment);

/// Stores the campaigns that do what is missing: one, or one a run where each is to be a job; none if nothing is. Gives
/// their plans as they are stored.
Result<std::vector<CampaignPlan>> keepLaunch(store::Database& db, const LaunchRequest& request, const ReadySite& ready);

} // namespace ringside
