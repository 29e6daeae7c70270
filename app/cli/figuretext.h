// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as text: what it plots, one table for each of its panels.
#pragma once

#include "core/report/figuredata.h"

namespace ringside::cli {

/// To standard output: points with their 95 % interval, or stacks with lowest and highest run; then the caption.
void printFigure(const report::FigureData& figure);

} // namespace ringside::cli
