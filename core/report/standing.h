// SPDX-License-Identifier: MIT
// Decides which groups may be called slower than the fastest, and than which (STATISTICS.md, 6). Pure; any thread.
#pragma once

#include "core/report/layout.h"

namespace ringside::report {

/// "slower", "no claim, n < 6": English, to be translated where it is shown.
const char* verdictWords(const AgainstBest& standing);

/// Includes what stands beside these words: "slower, p = 0.002, differs in precision, too".
std::string verdictText(const AgainstBest& standing);

/// Sets Comparison::comparedFactor and Group::againstBest for this layout. Once for all that is shown of a comparison:
/// figure, table, JSON and files read what is set here, so that they never say different things. The compared factor is
/// that of the series, else the one along x; none where neither is a way to do the same work: models do different work,
/// and more ranks are no other way; engines, where some of them do not know that factor (a plan, an option). Each group
/// is set against the fastest of those that differ from it in this factor only (engines: and in what not all of them
/// know), among what the experiment declares; what a [[when]] makes different beside it is named, and groups of which
/// it is the only difference are not compared. Claims hold for all of them together. Takes milliseconds for 14 plans of
/// 20 runs.
void addStandings(Comparison& comparison, const spec::Experiment& experiment, const FigureRequest& request);

} // namespace ringside::report
