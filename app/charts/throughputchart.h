// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput of one run over its iterations: median line, min-max band, shaded warm-up, the value at the line's end.
#pragma once

#include "app/charts/chartview.h"
#include "app/charts/throughputtrace.h"
#include "app/widgets/itemtexts.h"

#include <optional>

class QAreaSeries;
class QLineSeries;

namespace ringside {

struct ThroughputView
{
    std::vector<TracePoint> points; ///< no more than pixel columns
    int iterations = 1;             ///< of the whole run: the axis does not move while it lives
    int warmup = 0;
    std::optional<double> now; ///< items/s; absent once the run has ended
    std::optional<double> sinceWarmup;
    QString run;                                 ///< "run 42", for the spoken summary
    report::Items items = report::Items::images; ///< what it counts
    QString asOf = {}; ///< when `now` was, "09:14:07": nothing has come since; empty: it is now
};

class ThroughputChart : public ChartView
{
    Q_OBJECT
public:
    explicit ThroughputChart(ThemeController& theme);

    /// One replace() per series, whatever has arrived since the last call.
    void show(const ThroughputView& view);
    /// The y axis over the steady part only; a note then says that it does not start at 0.
    void setZoomed(bool zoomed);
    int columns() const;

protected:
    void paintMarks(QPainter& painter, const QRectF& plot) override;
    void applyTheme() override;
    int valueCount() const override { return int(m_view.points.size()); }
    QPointF valuePlace(int value) const override;
    QString valueText(int value) const override;

private:
    void nameAxes();
    QString rateText(ItemText text, double rate) const;
    void setRanges();
    void paintWarmup(QPainter& painter, const QRectF& plot) const;
    void paintValue(QPainter& painter, const QRectF& plot) const;
    void paintZoomNote(QPainter& painter, const QRectF& plot) const;

    ThroughputView m_view;
    bool m_zoomed = false;
    int m_valueRoom = 0;   ///< px right of the plot for "4,352 images/s now"
    QLineSeries* m_median; // all owned by the chart
    QLineSeries* m_low;
    QLineSeries* m_high;
    QAreaSeries* m_band;
};

} // namespace ringside
