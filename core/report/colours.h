// SPDX-License-Identifier: MIT
// Chooses the series of a figure that have a colour of their own, if there are more than colours (UX.md 5.3). Pure; any
// thread.
#pragma once

#include "core/report/layout.h"

namespace ringside::report {

/// Series that have values, in the order of their places.
std::vector<std::string> seriesNames(const Comparison& comparison, const Layout& layout);
/// Returns whether one of these is called so, as `wished` has it.
bool isSeries(const std::vector<std::string>& names, const std::string& name);

/// Places of series (seriesPlace) in colour, ascending, at most kSeriesColours; empty: no more series have values than
/// there are colours, so each has the colour of its place. `wished` are names of series as in the figure: these alone,
/// if any of them exists. Else series of the base case come first, then those with the highest sum, over the cells of
/// the figure, of their share of the cell's best value.
std::vector<int> colouredPlaces(const Comparison& comparison, const Layout& layout,
                                const std::vector<std::string>& wished);

/// Places of series that collapsed, ascending; empty: all are below kSeriesColours, and each has the shape of its
/// place.
std::vector<int> neutralPlaces(const Comparison& comparison, const Layout& layout);

} // namespace ringside::report
