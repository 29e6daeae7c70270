// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of an export, in whatever format.
#pragma once

#include "core/report/comparison.h"

#include <vector>

namespace ringside {

/// The contents of an export: the figure, its data, and every run.
struct ExportContent
{
    report::Comparison comparison;
    report::FigureData figure;
    std::vector<store::MeasuredRun> runs;
};

} // namespace ringside
