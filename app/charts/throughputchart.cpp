// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/throughputchart.h"

#include "app/style/fonts.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>
#include <algorithm>

namespace ringside {

namespace {

constexpr double kLiveLine = 1.8; // px
constexpr double kBandOpacity = 0.22;
constexpr int kValueGap = 8;     // px from the plot to the value at its right
constexpr double kWidest = 4352; // a rate as wide as any that has room there
constexpr double kHeadroom = 1.05;

} // namespace

ThroughputChart::ThroughputChart(ThemeController& theme)
    : ChartView(theme)
    , m_median(new QLineSeries)
    , m_low(new QLineSeries(this)) // an area owns neither of its borders
    , m_high(new QLineSeries(this))
    , m_band(new QAreaSeries(m_high, m_low))
{
    for (QAbstractSeries* series : {static_cast<QAbstractSeries*>(m_band), static_cast<QAbstractSeries*>(m_median)}) {
        chart()->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_y);
    }
    nameAxes();
    applyTheme();
    setRanges();
}

void ThroughputChart::nameAxes()
{
    const report::ItemWords& words = report::itemWords(m_view.items);
    setTitles(tr("Iteration"), coreText(words.throughput), coreText(words.perSecond));
    const QFontMetrics metrics(markFont(kCaptionSize, QFont::Medium));
    m_valueRoom = metrics.horizontalAdvance(rateText(ItemText::rateNow, kWidest)) + kValueGap;
    setRoom({0, 4, m_valueRoom + kValueGap, 0});
}

int ThroughputChart::columns() const
{
    return std::max(2, static_cast<int>(chart()->plotArea().width()));
}

void ThroughputChart::show(const ThroughputView& view)
{
    const bool isOther = view.items != m_view.items;
    m_view = view;
    if (isOther)
        nameAxes();
    QList<QPointF> median, low, high;
    for (const TracePoint& point : view.points) {
        median.append({point.iteration, point.median});
        low.append({point.iteration, point.low});
        high.append({point.iteration, point.high});
    }
    m_median->replace(median);
    m_low->replace(low);
    m_high->replace(high);
    setRanges();
    const QString value = view.sinceWarmup ? rateText(ItemText::sinceWarmup, *view.sinceWarmup)
                                           : tr("No value yet: warm-up is not over.");
    setSpoken(tr("Throughput of %1").arg(view.run), value);
    refresh();
}

QString ThroughputChart::rateText(ItemText text, double rate) const
{
    return itemText(text, m_view.items).arg(Numbers::threeDigits(rate));
}

QPointF ThroughputChart::valuePlace(int value) const
{
    const TracePoint& point = m_view.points[std::size_t(value)];
    return at(point.iteration, point.median);
}

QString ThroughputChart::valueText(int value) const
{
    const TracePoint& point = m_view.points[std::size_t(value)];
    const QString rate = rateText(ItemText::rate, point.median);
    const QString iteration = Numbers::count(int(point.iteration));
    if (point.low == point.high)
        return tr("Iteration %1: %2").arg(iteration, rate);
    return tr("To iteration %1: %2, from %3 to %4")
        .arg(iteration, rate, Numbers::threeDigits(point.low), Numbers::threeDigits(point.high));
}

void ThroughputChart::setZoomed(bool zoomed)
{
    m_zoomed = zoomed;
    setRanges();
    refresh();
}

void ThroughputChart::setRanges()
{
    double low = 0, high = 1;
    bool first = true;
    for (const TracePoint& point : m_view.points) {
        if (m_zoomed && point.iteration < m_view.warmup)
            continue;
        high = first ? point.high : std::max(high, point.high);
        low = first ? point.low : std::min(low, point.low);
        first = false;
    }
    setNumbered(*m_y, !first); // without a rate there is no scale
    setWidth(0, std::max(1, m_view.iterations - 1), 6);
    setValueRange(m_zoomed ? low : 0, high * (m_zoomed ? 1 : kHeadroom), 5);
}

void ThroughputChart::applyTheme()
{
    ChartView::applyTheme();
    QColor colour = theme().series[0];
    m_median->setPen(QPen(colour, kLiveLine));
    colour.setAlphaF(kBandOpacity);
    m_band->setBrush(colour);
    m_band->setPen(Qt::NoPen);
}

void ThroughputChart::paintMarks(QPainter& painter, const QRectF& plot)
{
    paintWarmup(painter, plot);
    paintValue(painter, plot);
    if (m_zoomed)
        paintZoomNote(painter, plot);
}

/// Along the x axis, where 0 would be.
void ThroughputChart::paintZoomNote(QPainter& painter, const QRectF& plot) const
{
    painter.setFont(markFont(kSmallSize));
    painter.setPen(theme().text2);
    painter.drawText(plot.adjusted(0, 0, -6, -4), Qt::AlignRight | Qt::AlignBottom, tr("y axis does not start at 0"));
}

void ThroughputChart::paintWarmup(QPainter& painter, const QRectF& plot) const
{
    if (m_view.warmup <= 0)
        return;
    const double end = at(m_view.warmup, 0).x();
    QColor shade = theme().text2;
    shade.setAlphaF(0.10f);
    painter.fillRect(QRectF(plot.topLeft(), QPointF(end, plot.bottom())), shade);
    painter.setPen(QPen(theme().text2, 1, Qt::DashLine));
    painter.drawLine(QPointF(end, plot.top()), QPointF(end, plot.bottom()));
    painter.setFont(markFont(kSmallSize));
    const QString word = tr("warm-up");
    if (painter.fontMetrics().horizontalAdvance(word) + 8 < end - plot.left())
        painter.drawText(QRectF(plot.left(), plot.bottom() - 22, end - plot.left() - 6, 18),
                         Qt::AlignRight | Qt::AlignVCenter, word);
}

void ThroughputChart::paintValue(QPainter& painter, const QRectF& plot) const
{
    if (m_view.points.empty())
        return;
    const TracePoint& last = m_view.points.back();
    const QPointF end = at(last.iteration, last.median);
    figures::drawMarker(painter, end, figures::seriesMark(0, false, look().palette), false, look());
    const bool isOld = m_view.now && !m_view.asOf.isEmpty();
    double y = std::clamp(end.y() - 18, plot.top() - 2, plot.bottom() - (isOld ? 53 : 36));
    const auto line = [&](double top, int pixels, QFont::Weight weight, const QColor& colour, const QString& text) {
        painter.setFont(markFont(pixels, weight));
        painter.setPen(colour);
        painter.drawText(QRectF(plot.right() + kValueGap, top, m_valueRoom, 18), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    };
    if (isOld) {
        line(y, kCaptionSize, QFont::Medium, theme().text2, rateText(ItemText::rate, *m_view.now));
        line(y += 17, kSmallSize, QFont::Normal, theme().text2, tr("at %1").arg(m_view.asOf));
    } else if (m_view.now) {
        line(y, kCaptionSize, QFont::Medium, theme().text, rateText(ItemText::rateNow, *m_view.now));
    }
    if (m_view.sinceWarmup)
        line(y + 17, kSmallSize, QFont::Normal, theme().text2,
             tr("%1 since warm-up").arg(Numbers::threeDigits(*m_view.sinceWarmup)));
}

} // namespace ringside
