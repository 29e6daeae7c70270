// SPDX-License-Identifier: MIT
// All experiments with how far each is, for those who follow them: a report about a run then moves it from one count to
// the next without another question.
#pragma once

#include "core/store/database.h"
#include "core/store/rows.h"

#include <map>
#include <vector>

namespace ringside::store {

struct ExperimentOverview
{
    std::vector<ExperimentRow> experiments; ///< by name
    /// The state as which these runs are counted; the next RunRow says how the counts go on: not ended, unknown or
    /// held.
    std::map<RunId, RunState> underWay;
};

/// Blocking.
Result<ExperimentOverview> experimentOverview(const Database& db);

/// `by` more runs are in this state.
void count(RunCounts& counts, RunState state, int by = 1);

} // namespace ringside::store
