// SPDX-License-Identifier: GPL-3.0-or-later
// The places of the points of lines: at their x and y, but for those that would hide each other.
#pragma once

#include "app/figures/plot.h"
#include "core/report/figuredata.h"

#include <map>
#include <set>

namespace ringside::figures {

/// Places and sizes of the points of one panel. The panel must outlive it.
struct PointPlaces
{
    std::map<const report::Point*, QPointF> at; ///< every point of the panel
    std::set<const report::Point*> hidden;      ///< those whose marker would lie on another one: their line shows them
    double scale = 1;                           ///< of markers, at least kLeastMarkerScale
};

inline constexpr double kLeastMarkerScale = 0.5; ///< smaller markers cannot be distinguished on paper

/// Where markers, intervals or runs of several series would lie on each other, these points are drawn side by side
/// around their x, in the order of the series, as far as there is room up to the next x and to the edge of the plot;
/// where there is less, markers are smaller, and the last series go without, but for the base. Points of gray series
/// have no markers and stay in place. `unit` as in Look.
PointPlaces placePoints(const report::Points::Panel& panel, const Plot& plot, double unit);

} // namespace ringside::figures
