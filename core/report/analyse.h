// SPDX-License-Identifier: MIT
// Computes what window and command line show of an experiment, in whatever kind of figure. One function for both, so
// that they choose alike. Any thread; blocking, since it reads the database and computes intervals.
#pragma once

#include "core/report/analysis.h"
#include "core/store/database.h"

namespace ringside::report {

/// Runs that were made before a factor was in its table have its default, with which they ran. Imported ones hold the
/// batch that they share (holdGlobalBatches).
Result<MeasuredExperiment> loadMeasured(const store::Database& db, const std::string& experiment);
Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured, const AnalysisRequest& request);

} // namespace ringside::report
