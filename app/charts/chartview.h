// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the charts on screen: axes by Qt Charts in the manner of UX.md 5.4, marks painted by the subclass on one
// overlay. A chart is one focusable widget with a spoken summary. GUI thread.
#pragma once

#include "app/figures/marks.h"
#include "app/style/themecontroller.h"
#include "core/report/ticks.h"

#include <QtCharts/QChartView>
#include <QtCharts/QValueAxis>

namespace ringside {

class ChartView : public QChartView
{
    Q_OBJECT
public:
    explicit ChartView(ThemeController& theme);

    /// The text for a screen reader: the name, and one or two sentences made from the data.
    void setSpoken(const QString& name, const QString& description);

    QSize sizeHint() const override { return {480, 200}; }
    QSize minimumSizeHint() const override { return {200, 120}; }

protected:
    /// Values that can be pointed at, by the pointer or with Left and Right: from left to right.
    virtual int valueCount() const { return 0; }
    virtual QPointF valuePlace(int) const { return {}; } ///< in scene coordinates
    virtual QString valueText(int) const { return {}; }

    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    /// Paints marks over the axes; `plot` in scene coordinates. Called whenever the chart is drawn.
    virtual void paintMarks(QPainter& painter, const QRectF& plot) = 0;
    /// The theme changed: colours of what Qt Charts draws are set anew.
    virtual void applyTheme();

    QPointF at(double x, double y) const;
    /// The x axis from here to there, with so many ticks between; it has fewer while their numbers have no room.
    void setWidth(double low, double high, int ticks);
    /// The y axis from a nice number to a nice number; it has fewer ticks while it is too short for their labels.
    void setValueRange(double low, double high, int ticks);
    /// For axes that may be short: a title of the y axis that does not fit is reduced to its unit, and in a low chart
    /// that of the x axis disappears.
    void setTitles(const QString& x, const QString& y, const QString& unit);
    /// Sets whether numbers are drawn along an axis, in every theme; the room for them stays.
    void setNumbered(QValueAxis& axis, bool numbered);
    /// Repaints the overlay, if it can be seen.
    void refresh();
    /// Room around the plot area for labels outside it.
    void setRoom(const QMargins& margins) { chart()->setMargins(margins); }

    figures::Look look() const;
    const Theme& theme() const { return m_theme.theme(); }
    QFont markFont(int pixels, QFont::Weight weight = QFont::Normal) const;

    QValueAxis* m_x; ///< owned by the chart
    QValueAxis* m_y;

private:
    class Overlay;
    void styleAxis(QValueAxis& axis, bool grid);
    void colourNumbers(QValueAxis& axis);
    struct Range
    {
        double low, high;
    };
    /// The requested range and ticks of an axis, and those that fit.
    struct Wanted
    {
        Range range{0, 1};
        int ticks = 0; ///< 0: not asked for
        int shown = 0; ///< ticks that fit
    };
    void setAxis(QValueAxis& axis, const Range& range, const report::Ticks& ticks);
    void fitTitles();
    void fitTicks();
    int ticksThatFitX() const;
    int ticksThatFitY() const;
    int valueAt(double x) const;
    void announce(int value);

    ThemeController& m_theme;
    Overlay* m_overlay;
    QString m_xTitle, m_yTitle, m_unit;
    bool m_xNumbered = true, m_yNumbered = true;
    Wanted m_wantedX, m_wantedY;
    int m_announced = -1; ///< the value that keys have come to
};

/// The palette of marks in the window's theme.
figures::Palette markPalette(const Theme& theme);

} // namespace ringside
