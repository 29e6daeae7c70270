// SPDX-License-Identifier: MIT
// The table below a figure of points: throughput, speed-up and efficiency, whichever of them is drawn. Pure.
#pragma once

#include "core/report/layout.h"
#include "core/report/table.h"

namespace ringside::report {

/// There is at least one group.
Table pointTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style);

} // namespace ringside::report
