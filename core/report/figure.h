// SPDX-License-Identifier: MIT
// Turns a comparison into figure data: which factor goes along x, which becomes series, which panels. Pure; any thread.
#pragma once

#include "core/report/comparison.h"

namespace ringside::report {

/// Factor keys. Empty ones are chosen: x is ranks if they vary, else the factor with most levels; panels the model if
/// it varies; series the first other factor, the engine before all, then the plan. They stay empty if no factor is
/// left. Factors named nowhere are joined to the series.
struct FigureRequest
{
    std::string x;
    std::string series;
    std::string panels;
    /// Names of series in colour where not all can be; empty: chosen by colouredPlaces().
    std::vector<std::string> coloured = {};
};

/// Never fails: a comparison without runs yields a figure whose notes say so.
FigureData figure(const Comparison& comparison, const FigureRequest& request = {});

} // namespace ringside::report
