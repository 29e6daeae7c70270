// SPDX-License-Identifier: MIT
// Maps values to places along an axis: the same range and ticks on screen and on paper. Pure.
#pragma once

#include "core/report/figuredata.h"

namespace ringside::report {

struct Tick
{
    double value = 0;
    std::string text; ///< without group separators
};

struct Scale
{
    double low = 0, high = 1; ///< ends of the axis
    bool log2 = false;
    std::vector<Tick> ticks;

    /// 0 at the low end, 1 at the high end.
    double position(double value) const;
};

/// Categories: half a category of room at both ends. Counts: log2, or linear with ticks at the data, from 0
/// unless the data would fill only its upper half.
Scale xScale(const Axis& axis);

/// The value axis of a panel, from 0 (log2: from the power of two below the lowest value). Ratios have one scale for
/// all panels; others one per panel, since models differ by an order of magnitude.
Scale valueScale(const Points& points, const Points::Panel& panel);
Scale valueScale(const Stacks::Panel& panel);

} // namespace ringside::report
