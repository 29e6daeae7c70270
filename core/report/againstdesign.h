// SPDX-License-Identifier: MIT
// Sets systems against Ringside's own engine with the plan of their design, phase by phase (STATISTICS.md, 5): that
// separates kernels from aggregation. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Sets Group::againstDesign of each group that trained with a system whose design is known, where a group of
/// Ringside's engine with this plan (on a single rank, with none) stands beside it and both have runs. All else that
/// both engines know has to be the same, as of a base case (Bases); the base rule of the comparison has no part in it.
void addDifferencesFromDesigns(Comparison& comparison, const spec::Experiment& experiment);

} // namespace ringside::report
