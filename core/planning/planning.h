// SPDX-License-Identifier: MIT
// Turns an experiment into what the store records of it and into the plan that a site carries out. Pure functions.
#pragma once

#include "core/campaign/missing.h"
#include "core/planning/launch.h"
#include "core/protocol/plan.h"
#include "core/sites/readysite.h"
#include "core/spec/experiment.h"
#include "core/spec/matrix.h"
#include "core/store/edits.h"
#include "core/store/rows.h"

#include <set>

namespace ringside {

/// Iterations of a trial ("Try one run"): enough to see that it works and how long it will take.
inline constexpr int kTrialIterations = 20;

/// Returns what is stored of an experiment: its text, and the cells of its matrix on these sites. Fails where it cannot
/// be expanded.
Result<store::ExperimentEdit> editOf(const spec::Experiment& experiment, const std::set<std::string>& sites);

/// Runs of the matrix that are missing, in its order; `only` (ids of stored runs; empty: all) narrows them.
std::vector<RunSpec> missingSpecs(const spec::Experiment& experiment, const spec::Matrix& matrix,
                                  const std::vector<store::RunRow>& stored, bool retryFailed,
                                  const std::vector<RunId>& only);

/// The smallest configuration once, briefly, of kind trial. Precondition: the matrix is not empty.
RunSpec trialSpec(const spec::Experiment& experiment, const spec::Matrix& matrix);

/// Returns the plan that `site` is to carry out.
CampaignPlan planOf(const spec::Experiment& experiment, const StoreId& store, const ReadySite& site,
                    std::vector<RunSpec> runs);

/// Returns the way in which it is handed over: under a scheduler as one job that is large enough for each of the runs,
/// which Ringside submits, or a person by hand. Fails with usage for what the scheduler's options cannot express, or
/// where there is no scheduler to submit to by hand.
Result<store::Submission> submissionOf(const CampaignPlan& plan, const ReadySite& site, bool byHand = false);

/// Returns what its job can use at most, nodes times its time limit; 0 without a scheduler.
double mostNodeSeconds(const CampaignPlan& plan, const ReadySite& site);

/// The same in words, before anything is stored: runs that have no number yet are counted.
Result<LaunchPreview> previewOf(CampaignPlan plan, const ReadySite& site, bool byHand = false);

} // namespace ringside
