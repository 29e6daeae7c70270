// SPDX-License-Identifier: MIT
// Writes the files that go with a figure besides the picture, as text: numbers always with a point and no group
// separators. Pure.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// One line per point, stack or bar that is plotted, of a timeline whatever part is drawn (RFC 4180, UTF-8, header
/// line). Tidy: a column for each factor that varies, by its name in experiment files, then numbers with their unit in
/// a column or in the header's end, shares as 0 to 1, then what the runs were measured under.
std::string figureCsv(const FigureData& figure);

/// One line per run of the experiment, failed and disturbed ones included. English, whatever the window's language, but
/// for the texts of errors that ended a run.
std::string runsCsv(const std::vector<store::MeasuredRun>& runs);

/// The origin of a figure: request, statistics, base case, runs with their settings and flags. JSON.
std::string provenanceJson(const Comparison& comparison, const FigureData& figure,
                           const std::vector<store::MeasuredRun>& runs);

} // namespace ringside::report
