// SPDX-License-Identifier: GPL-3.0-or-later
// What Compare and the command line show of an experiment, worked out. No widgets; any thread.
#pragma once

#include "core/report/figure.h"
#include "core/report/table.h"
#include "core/store/database.h"

#include <optional>

namespace ringside {

/// An experiment's latest revision and what was measured of it; shared with the query thread, never changed.
struct MeasuredExperiment
{
    spec::Experiment experiment;
    std::vector<store::MeasuredRun> runs;
};

struct ShownRequest
{
    report::CompareRequest compare;
    report::FigureRequest layout;
    report::NumberStyle style;
    std::optional<RunId> run;               ///< of a timeline; absent or not compared: the last of the last group
    std::optional<std::uint32_t> iteration; ///< of a timeline; absent: the last recorded in detail
};

struct Shown
{
    report::Comparison comparison;
    report::FigureData figure;
    report::Table table;
    std::optional<Error> refusal; ///< why there is no figure; `comparison` is of throughput, for the choices, or empty
    std::optional<RunId> run;     ///< of a timeline, as the next two
    std::vector<std::uint32_t> recorded;
    std::uint32_t iteration = 0;
};

/// Blocking.
Result<MeasuredExperiment> loadMeasured(const store::Database& db, const std::string& experiment);
/// Blocking. Beside a timeline, and where there is no figure, stands the comparison of throughput; or that of phases,
/// where throughput is not compared, either.
Result<Shown> computeShown(const store::Database& db, const MeasuredExperiment& measured, ShownRequest request);

} // namespace ringside
