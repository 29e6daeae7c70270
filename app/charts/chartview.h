// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the charts on screen: axes by Qt Charts in the manner of UX.md 5.4, marks painted by the subclass on one
// overlay. A chart is one focusable widget with a spoken summary. GUI thread.
#pragma once

#include "app/figures/marks.h"
#include "app/style/themecontroller.h"

#include <QtCharts/QChartView>
#include <QtCharts/QValueAxis>

namespace ringside {

class ChartView : public QChartView
{
    Q_OBJECT
public:
    explicit ChartView(ThemeController& theme, QWidget* parent = nullptr);

    /// What a screen reader says: the name, and one or two sentences made from the data.
    void setSpoken(const QString& name, const QString& description);

    QSize sizeHint() const override { return {480, 200}; }
    QSize minimumSizeHint() const override { return {200, 120}; }

protected:
    /// Paints marks over the axes; `plot` in scene coordinates. Called whenever the chart is drawn.
    virtual void paintMarks(QPainter& painter, const QRectF& plot) = 0;
    /// The theme changed: colours of what Qt Charts draws are set anew.
    virtual void applyTheme();

    QPointF at(double x, double y) const;
    void setRange(QValueAxis& axis, double low, double high, int ticks);
    /// Repaints the overlay, if it can be seen.
    void refresh();
    /// Room around the plot area for labels that stand outside it.
    void setRoom(const QMargins& margins) { chart()->setMargins(margins); }

    figures::Look look() const;
    const Theme& theme() const { return m_theme.theme(); }
    QFont markFont(int pixels, QFont::Weight weight = QFont::Normal) const;

    QValueAxis* m_x; ///< owned by the chart
    QValueAxis* m_y;

private:
    class Overlay;
    void styleAxis(QValueAxis& axis, bool grid);

    ThemeController& m_theme;
    Overlay* m_overlay;
};

/// The palette of marks in the window's theme.
figures::Palette markPalette(const Theme& theme);

} // namespace ringside
