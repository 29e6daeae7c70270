// SPDX-License-Identifier: GPL-3.0-or-later
// Where the points of lines are drawn: at their x and y, but for those that would hide each other.
#pragma once

#include "app/figures/plot.h"
#include "core/report/figuredata.h"

#include <map>

namespace ringside::figures {

/// By the points of one panel, which must outlive it.
using PointPlaces = std::map<const report::Point*, QPointF>;

/// Where markers, intervals or runs of several series would lie on each other, all points of that x stand side by side
/// around it, in the order of the series, a few pixels apart. `unit` as in Look.
PointPlaces placePoints(const report::Panel& panel, const Plot& plot, double unit);

} // namespace ringside::figures
