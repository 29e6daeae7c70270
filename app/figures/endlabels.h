// SPDX-License-Identifier: GPL-3.0-or-later
// Names and last values at the ends of lines, right of the plot, where they fit (UX.md 5.3). The key stays in any case.
#pragma once

#include "app/figures/obstacles.h"
#include "app/figures/pointplaces.h"

namespace ringside::figures {

/// The labels' width right of the plot; 0: the panel is too narrow for them, or nothing needs a label.
double endLabelRoom(const report::Points& points, const Type& type, double panelWidth);

/// Draws those that stand at the last x beside `plotArea`, pushed apart, each with a thin leader from its marker, which
/// is at its place of `places`. `obstacles` learns of them.
void drawEndLabels(const Canvas& canvas, const report::Points& points, const report::Points::Panel& panel,
                   const QRectF& plotArea, const PointPlaces& places, Obstacles& obstacles);

} // namespace ringside::figures
