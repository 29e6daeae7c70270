// SPDX-License-Identifier: GPL-3.0-or-later
// One panel of a figure on paper: points and lines, bars, stacks of phases, or ranks along time.
#pragma once

#include "app/figures/plot.h"
#include "core/report/figuredata.h"

namespace ringside::figures {

/// Margins around the plot area of a panel, the same for all panels of a figure so that they align.
struct PanelFrame
{
    double left = 0, right = 0, top = 0, bottom = 0;
    bool endLabels = false; ///< whether `right` has room for them
    QRectF plotArea(const QRectF& panel) const { return panel.adjusted(left, top, -right, -bottom); }
};

PanelFrame pointFrame(const report::FigureData& figure, const Type& type, double panelWidth);
PanelFrame stackFrame(const report::FigureData& figure, const Type& type);
PanelFrame laneFrame(const report::FigureData& figure, const Type& type);

void drawPointPanel(const Canvas& canvas, const report::FigureData& figure, const report::Panel& panel,
                    const QRectF& plotArea, bool endLabels);
void drawStackPanel(const Canvas& canvas, const report::FigureData& figure, const report::Panel& panel,
                    const QRectF& plotArea);

void drawLanePanel(const Canvas& canvas, const report::FigureData& figure, const report::Panel& panel,
                   const QRectF& plotArea);

/// What a rank of a timeline needs from one to the next.
double lanePitch(const report::Panel& panel);
/// What a stack needs from one to the next, strip of hidden communication included.
double stackPitch();

} // namespace ringside::figures
