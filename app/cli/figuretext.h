// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as text: what it plots, one table for each of its panels.
#pragma once

#include "core/report/analysis.h"

namespace ringside::cli {

/// To standard output: a table for each panel, then caption and notes.
void printFigure(const report::Analysis& analysis);

} // namespace ringside::cli
