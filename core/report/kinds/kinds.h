// SPDX-License-Identifier: MIT
// The kinds of figures by name, for the table and for those who mean a certain one.
#pragma once

#include "core/report/kinds/comparedkind.h"

namespace ringside::report {

extern const ComparedKind& kThroughput;
extern const ComparedKind& kSpeedup;
extern const ComparedKind& kEfficiency;
extern const ComparedKind& kPhaseStacks;
extern const FigureKind& kTimeline;

} // namespace ringside::report
