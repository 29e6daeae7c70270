// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/figureview.h"

#include "app/charts/bartext.h"
#include "app/charts/chartview.h"
#include "app/charts/timespan.h"
#include "app/figures/figurerenderer.h"
#include "app/style/fonts.h"
#include "app/text/text.h"

#include <QCursor>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

/// The smallest text of a figure (8 pt) is as big as a chart's labels on screen.
double pixelsPerPoint(const QFont& font)
{
    return sized(font, kCaptionSize).pixelSize() / figures::kLeastTextPt;
}

constexpr double kPointsPerMm = 72 / 25.4;
constexpr double kReach = 8;        // px around a mark that still mean it
constexpr double kLeastPlot = 0.65; // of a plot's height on paper
constexpr double kLeastLanes = 0.8; // the same: names of layers still have room
constexpr int kHoverMs = 300;
constexpr double kZoom = 0.8;      // of the length, for a step of the wheel or a key
constexpr double kMove = 0.1;      // of the length, for a key
constexpr double kWheelStep = 120; // eighths of a degree, Qt's usual step

} // namespace

FigureView::FigureView(ThemeController& theme)
    : m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&theme, &ThemeController::themeChanged, this, qOverload<>(&QWidget::update));
    setMouseTracking(true);
    m_hover.setSingleShot(true);
    m_hover.setInterval(kHoverMs);
    connect(&m_hover, &QTimer::timeout, this, [this] { explain(m_hovered); });
}

void FigureView::show(report::FigureData figure)
{
    if (isSameTimeline(figure))
        figure.as<report::Lanes>()->shown = m_figure.as<report::Lanes>()->shown;
    m_figure = std::move(figure);
    m_points.clear(); // painted anew
    m_hovered = -1;
    setAccessibleName(toQt(m_figure.title));
    setAccessibleDescription(toQt(m_figure.spoken));
    updateGeometry();
    update();
}

bool FigureView::isSameTimeline(const report::FigureData& figure) const
{
    const auto *now = m_figure.as<report::Lanes>(), *next = figure.as<report::Lanes>();
    return now && next && figure.caption == m_figure.caption && next->whole == now->whole;
}

double FigureView::millimetres(double pixels) const
{
    return pixels / pixelsPerPoint(font()) / kPointsPerMm;
}

/// A timeline of few ranks is low, and needs no scroll bar in a small window.
QSize FigureView::minimumSizeHint() const
{
    return {240, isTimeline() ? 90 : 180};
}

QSize FigureView::sizeHint() const
{
    return {640, heightForWidth(640)};
}

int FigureView::heightForWidth(int width) const
{
    figures::PaperOptions options;
    options.size = {millimetres(width), 0};
    const figures::FigureRenderer renderer(m_figure, options);
    const bool hasStacks = m_figure.as<report::Stacks>(); // these cannot be lower
    const double least = hasStacks ? 1 : isTimeline() ? kLeastLanes : kLeastPlot;
    return qRound(least * renderer.size().heightMm * kPointsPerMm * pixelsPerPoint(font()));
}

figures::PaperOptions FigureView::paper() const
{
    figures::PaperOptions options;
    options.size = {millimetres(width()), millimetres(height())};
    options.family = font().family();
    options.screen = figures::ScreenLook{markPalette(m_theme.theme()), 1 / pixelsPerPoint(font())};
    return options;
}

void FigureView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m_points.clear();
    figures::FigureRenderer(m_figure, paper()).paint(painter, rect(), &m_points);
    paintCurrent(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.theme().accent, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void FigureView::paintCurrent(QPainter& painter) const
{
    for (const figures::PlacedRuns& point : m_points)
        if (!m_current.empty() && point.runs == m_current) {
            painter.setPen(QPen(m_theme.theme().accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(point.box.adjusted(-4, -4, 4, 4), 4, 4);
        }
}

void FigureView::setCurrent(const std::vector<RunId>& runs)
{
    m_current = runs;
    update();
}

/// The nearest of those within reach: marks of several series may lie on each other. Bars of a timeline do not.
int FigureView::pointAt(QPointF position) const
{
    const auto isUnder = [&](const figures::PlacedRuns& point) { return point.bar && point.box.contains(position); };
    if (const auto bar = std::find_if(m_points.begin(), m_points.end(), isUnder); bar != m_points.end())
        return int(bar - m_points.begin());
    if (isTimeline())
        return -1;
    int nearest = -1;
    double least = INFINITY;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QRectF& box = m_points[i].box;
        const double away = QLineF(position, box.center()).length();
        if (box.adjusted(-kReach, -kReach, kReach, kReach).contains(position) && away < least) {
            nearest = int(i);
            least = away;
        }
    }
    return nearest;
}

void FigureView::mouseMoveEvent(QMouseEvent* event)
{
    const int point = pointAt(event->position());
    if (point == m_hovered)
        return;
    m_hovered = point;
    QToolTip::hideText();
    point >= 0 ? m_hover.start() : m_hover.stop();
}

void FigureView::leaveEvent(QEvent* event)
{
    m_hover.stop();
    m_hovered = -1;
    QWidget::leaveEvent(event);
}

void FigureView::mousePressEvent(QMouseEvent* event)
{
    const int point = pointAt(event->position());
    if (point < 0)
        return QWidget::mousePressEvent(event);
    if (isTimeline())
        return explain(point);
    setCurrent(m_points[std::size_t(point)].runs);
    Q_EMIT chosen(m_current);
}

void FigureView::showSpan(const report::Span& span)
{
    report::Span& shown = m_figure.as<report::Lanes>()->shown;
    if (span == shown)
        return;
    shown = span;
    QToolTip::hideText();
    m_hover.stop();
    m_hovered = -1;
    update();
}

double FigureView::timeAt(double x) const
{
    const QRectF plot = figures::FigureRenderer(m_figure, paper()).plotArea(rect());
    const double share = std::clamp((x - plot.left()) / std::max(1.0, plot.width()), 0.0, 1.0);
    const report::Span& shown = m_figure.as<report::Lanes>()->shown;
    return shown.from + share * shown.length();
}

void FigureView::wheelEvent(QWheelEvent* event)
{
    const auto* lanes = m_figure.as<report::Lanes>();
    if (!lanes)
        return QWidget::wheelEvent(event);
    const QPointF steps = QPointF(event->angleDelta()) / kWheelStep;
    const report::Span turned =
        zoomed(lanes->whole, lanes->shown, timeAt(event->position().x()), std::pow(kZoom, steps.y()));
    showSpan(moved(lanes->whole, turned, -steps.x() * kMove));
    event->accept();
}

/// False: a key that means nothing here.
bool FigureView::moveByKey(int key)
{
    const report::Lanes& lanes = *m_figure.as<report::Lanes>();
    const report::Span whole = lanes.whole, shown = lanes.shown;
    const double middle = (shown.from + shown.to) / 2;
    switch (key) {
    case Qt::Key_Left:
        return showSpan(moved(whole, shown, -kMove)), true;
    case Qt::Key_Right:
        return showSpan(moved(whole, shown, kMove)), true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return showSpan(zoomed(whole, shown, middle, kZoom)), true;
    case Qt::Key_Minus:
        return showSpan(zoomed(whole, shown, middle, 1 / kZoom)), true;
    case Qt::Key_Home:
        return showSpan(whole), true;
    default:
        return false;
    }
}

void FigureView::keyPressEvent(QKeyEvent* event)
{
    if (isTimeline())
        return moveByKey(event->key()) ? event->accept() : QWidget::keyPressEvent(event);
    const auto isCurrent = [this](const figures::PlacedRuns& point) { return point.runs == m_current; };
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1);
    case Qt::Key_Right:
        return step(1);
    case Qt::Key_Space:
        return explain(int(std::find_if(m_points.begin(), m_points.end(), isCurrent) - m_points.begin()));
    default:
        QWidget::keyPressEvent(event);
    }
}

void FigureView::step(int by)
{
    if (m_points.empty())
        return;
    const auto isCurrent = [this](const figures::PlacedRuns& point) { return point.runs == m_current; };
    const auto found = std::find_if(m_points.begin(), m_points.end(), isCurrent);
    const int last = int(m_points.size()) - 1;
    const int next =
        found == m_points.end() ? (by > 0 ? 0 : last) : std::clamp(int(found - m_points.begin()) + by, 0, last);
    setCurrent(m_points[std::size_t(next)].runs);
    if (m_describe)
        setAccessibleDescription(m_describe(m_current));
    Q_EMIT chosen(m_current);
}

void FigureView::explain(int point)
{
    if (point < 0 || point >= int(m_points.size()))
        return;
    const figures::PlacedRuns& placed = m_points[std::size_t(point)];
    if (placed.bar)
        return QToolTip::showText(QCursor::pos(), BarText::of(*placed.bar), this);
    if (!m_describe)
        return;
    QToolTip::showText(mapToGlobal(placed.box.center().toPoint()), m_describe(placed.runs), this);
}

} // namespace ringside
