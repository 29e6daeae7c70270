// SPDX-License-Identifier: MIT
// The batch that imported runs hold while their ranks vary. A log states one of a rank, or one of which a rank has its
// share; which of both is held shows only in all runs together.
// Pure; any thread.
#pragma once

#include "core/report/analysis.h"

namespace ringside::report {

/// Adds batch_global to the imported runs where theirs is held in all: if the experiment's own runs hold it, or if runs
/// of each line with several counts of ranks share it and do not share that of a rank. A factor or constant of batches
/// per rank, which followed from it, becomes one of global batches.
void holdGlobalBatches(MeasuredExperiment& measured);

} // namespace ringside::report
