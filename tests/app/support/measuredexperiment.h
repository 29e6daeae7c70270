// SPDX-License-Identifier: MIT
// A finished experiment as a campaign leaves it behind, put into a database by the same functions as a real one.
#pragma once

#include "core/store/database.h"
#include "core/store/rows.h"

namespace ringside::test {

inline constexpr const char* kMeasuredExperiment = "plans-on-four-ranks";

/// Numbers of the runs that addMeasuredExperiment() makes (2 models × 1, 2, 4 ranks × plans one and buckets × 6
/// repeats), and of those that are done.
inline constexpr int kMeasuredRuns = 60, kMeasuredDone = 58;

/// Two of the runs of one configuration have no result (one lost a rank, one was cancelled), so its n is 4; two others
/// were disturbed. Every phase takes time, and with "buckets" a part of communication is hidden. The campaign's plan
/// and the logs of its runs go below `root`, the folder of the site. With other models there are other numbers of runs.
/// Runs of plan "one" report only the phases `toldByOne`.
Result<void> addMeasuredExperiment(store::Database& db, const fs::path& root,
                                   const std::vector<std::string>& models = {"alexnet", "resnet50"},
                                   PhaseSet toldByOne = PhaseSet::all());

/// One of its runs that are done, as if it were in another state.
store::RunRow measuredRunAs(const fs::path& store, RunState state, RunState from = RunState::done);

} // namespace ringside::test
