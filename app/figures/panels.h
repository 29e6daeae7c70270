// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of a figure on paper: a painter for each kind of drawing that figure data may have.
#pragma once

#include "app/figures/key.h"
#include "app/figures/plot.h"
#include "core/report/figuredata.h"

#include <memory>

namespace ringside::figures {

/// Margins around the plot area of a panel, the same for all panels of a figure so that they align.
struct PanelFrame
{
    double left = 0, right = 0, top = 0, bottom = 0;
    bool endLabels = false; ///< whether `right` has room for them
    QRectF plotArea(const QRectF& panel) const { return panel.adjusted(left, top, -right, -bottom); }
};

/// For one drawing, which must outlive it.
class PanelPainter
{
public:
    virtual ~PanelPainter() = default;

    /// The title of each panel, empty if it has none.
    virtual std::vector<QString> titles() const = 0;
    /// The room that all panels need around their plots, at this width of a panel.
    virtual PanelFrame frame(const Type& type, double panelWidth) const = 0;
    /// The height of a plot if none is asked for.
    virtual double plotHeight() const = 0;
    virtual std::vector<KeyEntry> keyEntries() const = 0;
    virtual void draw(const Canvas& canvas, std::size_t panel, const QRectF& plotArea,
                      const PanelFrame& frame) const = 0;
};

template <class Panels> std::vector<QString> titlesOf(const Panels& panels)
{
    std::vector<QString> titles;
    for (const auto& panel : panels)
        titles.push_back(qtext(panel.title));
    return titles;
}

std::unique_ptr<PanelPainter> painterOf(const report::Points& points);
std::unique_ptr<PanelPainter> painterOf(const report::Stacks& stacks);
std::unique_ptr<PanelPainter> painterOf(const report::Lanes& lanes);

} // namespace ringside::figures
