// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chartview.h"

#include "app/style/fonts.h"

#include <QGraphicsItem>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <QtCharts/QLineSeries>
#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside {

namespace {

constexpr double kTickRoom = 1.4; // label heights from one tick to the next
constexpr double kNumberGap = 12; // px between two numbers along the x axis
/// Margins of the text document that Qt Charts lays a title out with, at both ends.
constexpr qreal kTitleMargins = 8;
constexpr double kLowChart = 7.5; // title heights below which a chart has none to spare

} // namespace

/// A child of the chart, so that it is drawn after the axes and moves with them.
class ChartView::Overlay : public QGraphicsItem
{
public:
    explicit Overlay(ChartView& view)
        : QGraphicsItem(view.chart())
        , m_view(view)
    {
        setZValue(10);
    }

    QRectF boundingRect() const override { return m_view.chart()->rect(); }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        painter->setRenderHint(QPainter::Antialiasing);
        m_view.paintMarks(*painter, m_view.chart()->plotArea());
    }

    void sizeChanged() { prepareGeometryChange(); }

private:
    ChartView& m_view;
};

ChartView::ChartView(ThemeController& theme)
    : m_x(new QValueAxis)
    , m_y(new QValueAxis)
    , m_theme(theme)
    , m_overlay(nullptr)
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setMargins({});
    chart()->addAxis(m_x, Qt::AlignBottom);
    chart()->addAxis(m_y, Qt::AlignLeft);
    auto* carrier = new QLineSeries; // axes map values to places only through a series
    chart()->addSeries(carrier);
    carrier->attachAxis(m_x);
    carrier->attachAxis(m_y);
    carrier->setVisible(false);
    m_overlay = new Overlay(*this);
    connect(chart(), &QChart::plotAreaChanged, this, [this] {
        m_overlay->sizeChanged();
        fitTitles();
        fitTicks();
        refresh();
    });
    connect(&theme, &ThemeController::themeChanged, this, [this] { applyTheme(); });
    ChartView::applyTheme();
}

void ChartView::setSpoken(const QString& name, const QString& description)
{
    if (name != accessibleName())
        setAccessibleName(name);
    if (description != accessibleDescription())
        setAccessibleDescription(description);
}

void ChartView::applyTheme()
{
    setBackgroundBrush(theme().base); // of the card behind
    styleAxis(*m_x, false);
    styleAxis(*m_y, true);
    fitTitles();
    fitTicks();
    refresh();
}

void ChartView::styleAxis(QValueAxis& axis, bool grid)
{
    const Theme& theme = m_theme.theme();
    axis.setTitleFont(markFont(kCaptionSize));
    axis.setTitleBrush(theme.text);
    axis.setLabelsFont(markFont(kSmallSize));
    colourNumbers(axis);
    axis.setLinePen(QPen(theme.mid, 1));
    axis.setGridLineVisible(grid);
    axis.setGridLinePen(QPen(theme.grid, 1));
}

void ChartView::setNumbered(QValueAxis& axis, bool numbered)
{
    (&axis == m_x ? m_xNumbered : m_yNumbered) = numbered;
    colourNumbers(axis);
}

void ChartView::colourNumbers(QValueAxis& axis)
{
    const bool numbered = &axis == m_x ? m_xNumbered : m_yNumbered;
    axis.setLabelsColor(numbered ? theme().text2 : QColor(Qt::transparent));
}

QPointF ChartView::at(double x, double y) const
{
    const QRectF plot = chart()->plotArea();
    const auto share = [](double value, const QValueAxis& axis) {
        return axis.max() > axis.min() ? (value - axis.min()) / (axis.max() - axis.min()) : 0.0;
    };
    return {plot.left() + share(x, *m_x) * plot.width(), plot.bottom() - share(y, *m_y) * plot.height()};
}

void ChartView::setWidth(double low, double high, int ticks)
{
    m_wantedX = {{low, high}, ticks};
    fitTicks();
}

/// Each setter lays the axis out and has the chart drawn again: what stays as it is costs nothing.
void ChartView::setAxis(QValueAxis& axis, const Range& range, const report::Ticks& ticks)
{
    if (axis.min() == range.low && axis.max() == range.high && axis.tickInterval() == ticks.step)
        return;
    if (ticks.step > axis.tickInterval()) // a small step over a wide range would make thousands of ticks in between
        axis.setTickInterval(ticks.step);
    axis.setRange(range.low, range.high);
    axis.setTickType(QValueAxis::TicksDynamic); // fixed counts print labels that are rounded wrongly
    axis.setTickAnchor(ticks.low());
    axis.setTickInterval(ticks.step);
    axis.setLabelFormat(QStringLiteral("%.%1f").arg(ticks.decimals));
    chart()->setLocalizeNumbers(true);
}

void ChartView::setValueRange(double low, double high, int ticks)
{
    m_wantedY = {{low, high}, ticks};
    fitTicks();
}

/// By the plot area alone, which the numbers along an axis do not change: else each fit would call for another.
void ChartView::fitTicks()
{
    if (const int ticks = ticksThatFitX(); std::exchange(m_wantedX.shown, ticks) != ticks) {
        const auto [low, high] = m_wantedX.range;
        setAxis(*m_x, {low, high}, report::niceTicks(low, high, ticks));
    }
    if (const int ticks = ticksThatFitY(); std::exchange(m_wantedY.shown, ticks) != ticks) {
        const report::Ticks nice = report::niceTicks(m_wantedY.range.low, m_wantedY.range.high, ticks);
        setAxis(*m_y, {nice.low(), nice.high()}, nice);
    }
}

int ChartView::ticksThatFitX() const
{
    const auto [low, high] = m_wantedX.range;
    const QFontMetricsF metrics(m_x->labelsFont());
    const auto fit = [&](int ticks) {
        const report::Ticks nice = report::niceTicks(low, high, ticks);
        const QString widest = QLocale().toString(nice.high(), 'f', nice.decimals);
        const double apart = nice.step / (high - low) * chart()->plotArea().width();
        return metrics.horizontalAdvance(widest) + kNumberGap <= apart;
    };
    int ticks = m_wantedX.ticks;
    while (ticks > 1 && !fit(ticks))
        --ticks;
    return ticks;
}

int ChartView::ticksThatFitY() const
{
    const double room = kTickRoom * QFontMetricsF(m_y->labelsFont()).height();
    const int fitting = std::max(1, static_cast<int>(chart()->plotArea().height() / room));
    return std::min(m_wantedY.ticks, fitting);
}

void ChartView::setTitles(const QString& x, const QString& y, const QString& unit)
{
    m_xTitle = x;
    m_yTitle = y;
    m_unit = unit;
    fitTitles();
}

void ChartView::fitTitles()
{
    const QFontMetricsF metrics(m_y->titleFont());
    const auto show = [](QValueAxis& axis, const QString& title) {
        if (axis.titleText() != title)
            axis.setTitleText(title);
    };
    show(*m_x, chart()->size().height() < kLowChart * metrics.height() ? QString() : m_xTitle);
    show(*m_y, metrics.horizontalAdvance(m_yTitle) + kTitleMargins > chart()->plotArea().height() ? m_unit : m_yTitle);
}

bool ChartView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || valueCount() == 0)
        return QChartView::viewportEvent(event);
    const auto* help = static_cast<const QHelpEvent*>(event);
    m_announced = valueAt(mapToScene(help->pos()).x());
    QToolTip::showText(help->globalPos(), valueText(m_announced), viewport());
    return true;
}

void ChartView::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || valueCount() == 0)
        return QChartView::keyPressEvent(event);
    announce(m_announced < 0 ? valueCount() - 1 : std::clamp(m_announced + step, 0, valueCount() - 1));
}

/// The one whose place is nearest.
int ChartView::valueAt(double x) const
{
    int nearest = 0;
    for (int value = 1; value < valueCount(); ++value)
        if (std::abs(valuePlace(value).x() - x) < std::abs(valuePlace(nearest).x() - x))
            nearest = value;
    return nearest;
}

void ChartView::announce(int value)
{
    m_announced = value;
    const QPoint place = viewport()->mapToGlobal(mapFromScene(valuePlace(value)));
    QToolTip::showText(place, valueText(value), viewport());
    setAccessibleDescription(valueText(value));
}

void ChartView::refresh()
{
    if (m_overlay)
        m_overlay->update();
}

figures::Look ChartView::look() const
{
    return {markPalette(theme()), m_theme.textScale()};
}

QFont ChartView::markFont(int pixels, QFont::Weight weight) const
{
    return sized(font(), pixels, weight);
}

figures::Palette markPalette(const Theme& theme)
{
    return {theme.base, theme.text, theme.text2, theme.grid, theme.mid, theme.warning, theme.dark};
}

} // namespace ringside
