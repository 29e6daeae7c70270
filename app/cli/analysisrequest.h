// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses for `compare` and `figure`, by the options that both have: computed as in the window.
#pragma once

#include "app/cli/commands.h"
#include "core/report/figurekind.h"

namespace ringside::cli {

/// "throughput, speedup, efficiency, phases", for help and errors; those of one run only for commands with a run.
std::string kindsText(bool withThoseOfOneRun);

/// Fails with usage for what cannot be shown, no rule, or a level that is not there. `withThoseOfOneRun`: which kinds
/// the error names.
Result<report::AnalysisRequest> requestOf(const report::MeasuredExperiment& measured, const CompareOptions& options,
                                          bool withThoseOfOneRun);

/// Blocking. A request that the window would refuse is an error here, and so is a factor of the layout that does not
/// vary.
Result<report::Analysis> analysisOf(const store::Database& db, const report::MeasuredExperiment& measured,
                                    const report::AnalysisRequest& request);

} // namespace ringside::cli
