// SPDX-License-Identifier: MIT
// A timeline for programs that show traces: the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing read.
#pragma once

#include "core/report/figuredata.h"

namespace ringside::report {

/// A process for each rank with three threads: phases, layers, communication. All bars, whatever part is drawn.
std::string traceJson(const FigureData& figure);

} // namespace ringside::report
