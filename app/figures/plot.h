// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a panel: where its axes lie, and the axes themselves.
#pragma once

#include "app/figures/canvas.h"
#include "core/report/scale.h"

namespace ringside::figures {

struct Plot
{
    QRectF area;        ///< between the axes
    report::Scale x, y; ///< along the horizontal and the vertical axis

    double xAt(double value) const { return area.left() + x.position(value) * area.width(); }
    double yAt(double value) const { return area.bottom() - y.position(value) * area.height(); }
    QPointF at(double valueX, double valueY) const { return {xAt(valueX), yAt(valueY)}; }
};

/// Room that an axis needs beside the plot: ticks, labels, title.
double leftRoom(const Type& type, const report::Scale& scale, bool title);
double bottomRoom(const Type& type, double labelLines, bool title);

/// Lines that a label of a category needs at most in a slot of this width, or that are as high as it is wide where it
/// is upright, since a word is wider than the slot.
double labelLines(const Type& type, const report::Scale& scale, double slot);

void drawValueGrid(const Canvas& canvas, const Plot& plot);
void drawVerticalAxis(const Canvas& canvas, const Plot& plot, const QString& title);
/// Labels at ticks; one that would touch its left neighbour is left out.
void drawCountAxis(const Canvas& canvas, const Plot& plot, const QString& title);
void drawCategoryAxis(const Canvas& canvas, const Plot& plot, const QString& title);

} // namespace ringside::figures
