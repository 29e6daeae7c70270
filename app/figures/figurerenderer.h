// SPDX-License-Identifier: GPL-3.0-or-later
// Draws figure data at its exact size on paper: the same picture in PDF, SVG, PNG and the preview of the export dialog.
#pragma once

#include "app/figures/canvas.h"
#include "core/report/figuredata.h"

class QPainter;
class QRectF;

namespace ringside::figures {

/// Needs a QGuiApplication for its fonts; any thread afterwards. Holds a copy of the figure.
class FigureRenderer
{
public:
    FigureRenderer(report::FigureData figure, PaperOptions options);

    /// As asked for, with the height worked out if none was; at least 30 by 25 mm.
    const PaperSize& size() const { return m_options.size; }

    /// Fills `target`, whose proportions should be those of size(), with white paper and the figure; on screen with the
    /// figure alone. `placed`, if given, receives the places of the runs, in the coordinates of the painter's device.
    void paint(QPainter& painter, const QRectF& target, std::vector<PlacedRuns>* placed = nullptr) const;

    /// Between the axes of the first panel, where `target` is the whole figure: for those who turn a place into a
    /// value.
    QRectF plotArea(const QRectF& target) const;

private:
    report::FigureData m_figure;
    PaperOptions m_options;
};

} // namespace ringside::figures
