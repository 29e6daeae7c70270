// SPDX-License-Identifier: MIT
// All kinds of figures that there are. Each is a unit of its own in this folder and a row in the table of kinds.cpp;
// window and command line offer the kinds in its order. Any thread.
#pragma once

#include "core/report/comparedkind.h"

#include <span>
#include <string_view>

namespace ringside::report {

// By name, for those who mean a certain one.
extern const ComparedKind& kThroughput;
extern const ComparedKind& kSpeedup;
extern const ComparedKind& kEfficiency;
extern const ComparedKind& kPhaseStacks;
extern const FigureKind& kTimeline;

/// All of them, in the order in which they are offered.
std::span<const FigureKind* const> figureKinds();
/// nullptr: there is none of this name.
const FigureKind* findFigureKind(std::string_view name);

/// A comparison for the choices beside a figure that itself compares nothing: of throughput, or of phases.
Result<Comparison> anyComparison(const MeasuredExperiment& measured, CompareRequest request);

} // namespace ringside::report
