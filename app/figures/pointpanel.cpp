// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/endlabels.h"
#include "app/figures/panels.h"
#include "app/figures/pointplaces.h"
#include "core/report/numbers.h"

#include <algorithm>

namespace ringside::figures {
namespace {

using report::FigureData;
using report::Panel;
using report::Point;
using report::Series;

constexpr double kLabelGap = pt(2.5);
constexpr double kSlotShare = 0.72; ///< of a category that its bars fill
constexpr double kWidestBar = pt(26);
constexpr double kRightRoom = pt(3);   ///< beside the plot
constexpr double kClearance = pt(0.9); ///< of a number of runs from lines, which have a width
const QString kIdeal = QStringLiteral("ideal");

/// A point where it is drawn.
struct Placed
{
    const Point* point = nullptr;
    SeriesMark mark;
    QPointF at;
    double halfWidth = 0; ///< of its marker or bar
    bool hidden = false;  ///< its marker would lie on another one
};

QRectF around(QPointF middle, double halfWidth, double halfHeight)
{
    return {middle.x() - halfWidth, middle.y() - halfHeight, 2 * halfWidth, 2 * halfHeight};
}

/// Draws one panel; lives as long as that takes.
class PointPanel
{
public:
    PointPanel(const Canvas& canvas, const FigureData& figure, const Panel& panel, const QRectF& area, bool endLabels)
        : m_canvas(canvas)
        , m_figure(figure)
        , m_panel(panel)
        , m_plot{area, report::xScale(figure), report::valueScale(figure, panel)}
        , m_endLabels(endLabels)
    {
    }

    void draw()
    {
        drawValueGrid(m_canvas, m_plot);
        if (m_figure.ideal)
            drawIdealLine();
        if (m_figure.lines)
            drawLinesAndMarkers();
        else
            drawBars();
        if (m_figure.ideal)
            drawIdealName();
        if (m_endLabels)
            drawEndLabels(m_canvas, m_figure, m_panel, m_plot.area, m_places, m_obstacles);
        drawRunCounts();
        drawBaseText();
    }

    const Plot& plot() const { return m_plot; }

private:
    QPainter& painter() const { return m_canvas.painter(); }
    const Look& look() const { return m_canvas.look(); }
    double markerHalf() const { return kMarkerSize / 2 * look().unit * m_places.scale; }
    /// Crowded markers are smaller, and their intervals with them.
    Look markerLook() const { return {look().palette, look().unit * m_places.scale}; }

    void drawIdealLine()
    {
        // A straight line in the figure's axes, over the counts that were measured.
        const auto [from, to] = std::minmax_element(m_figure.x.ticks.begin(), m_figure.x.ticks.end());
        m_ideal = {m_plot.at(*from, report::idealAt(m_figure, m_panel, *from)),
                   m_plot.at(*to, report::idealAt(m_figure, m_panel, *to))};
        const QPolygonF line = {m_ideal.p1(), m_ideal.p2()};
        drawIdeal(painter(), line, look());
        m_obstacles.add(line);
    }

    /// Along the line and just above it, in the first place that is free.
    void drawIdealName()
    {
        const QLineF normal = m_ideal.normalVector().unitVector();
        const QPointF up(normal.dx(), normal.dy());
        for (const double share : {0.7, 0.55, 0.85, 0.4, 0.25}) {
            const QPointF at = m_ideal.pointAt(share) + up * kLabelGap * 0.6;
            if (!isFreeAlongIdeal(at + up * m_canvas.type().capHeight() / 2))
                continue;
            return m_canvas.turnedText(at, -m_ideal.angle(), kIdeal, look().palette.text2);
        }
    }

    /// Squares as high as the text, all along it: a box around turned text would be far too large.
    bool isFreeAlongIdeal(QPointF middle) const
    {
        const double half = m_canvas.type().capHeight() / 2;
        const QLineF along = m_ideal.unitVector();
        const double reach = m_canvas.type().width(kIdeal) / 2;
        for (double away = -reach; away <= reach; away += half) {
            const QRectF square = around(middle + QPointF(along.dx(), along.dy()) * away, half, half);
            if (!m_plot.area.contains(square) || !m_obstacles.isFree(square))
                return false;
        }
        return true;
    }

    void drawLinesAndMarkers()
    {
        m_places = placePoints(m_panel, m_plot, look().unit);
        for (const bool gray : {true, false}) // below the others
            for (const Series& series : m_panel.series)
                if (series.isGray() == gray)
                    drawSeriesLine(series);
        for (const Placed& placed : m_placed)
            drawSpread(placed, placed.mark.colour);
        for (const Placed& placed : m_placed)
            drawPointMarker(placed);
    }

    void drawSeriesLine(const Series& series)
    {
        QPolygonF line;
        for (const Point* point : report::joinedPoints(m_panel, series))
            line << m_places.at.at(point);
        const SeriesMark mark = seriesMark(series.style, series.neutral, look().palette);
        if (line.size() > 1 && !series.neutral)
            drawLine(painter(), line, mark, look());
        if (series.isGray())
            return placeGrayPoints(series);
        m_obstacles.add(line);
        for (const Point& point : series.points) {
            const SeriesMark own = point.isBase ? seriesMark(series.style, true, look().palette) : mark;
            m_placed.push_back({&point, own, m_places.at.at(&point), markerHalf(), m_places.hidden.contains(&point)});
        }
    }

    /// They have no markers, but can be pointed at.
    void placeGrayPoints(const Series& series)
    {
        for (const Point& point : series.points)
            m_canvas.place(around(m_places.at.at(&point), markerHalf(), markerHalf()), point.runs);
    }

    void drawPointMarker(const Placed& placed)
    {
        if (placed.hidden) // but can be pointed at
            return m_canvas.place({placed.at, QSizeF(0, 0)}, placed.point->runs);
        drawMarker(painter(), placed.at, placed.mark, placed.point->open(), markerLook());
        m_canvas.place(around(placed.at, placed.halfWidth, placed.halfWidth), placed.point->runs);
        m_obstacles.add(around(placed.at, placed.halfWidth, placed.halfWidth));
        if (placed.point->isBase) {
            drawBaseRing(painter(), placed.at, markerLook());
            m_obstacles.add(around(placed.at, 2 * placed.halfWidth, 2 * placed.halfWidth));
        }
    }

    /// The interval, or below six runs the runs themselves beside the marker.
    void drawSpread(const Placed& placed, const QColor& colour)
    {
        const Point& point = *placed.point;
        if (placed.hidden)
            return;
        if (point.low && point.high) {
            const QPointF low(placed.at.x(), m_plot.yAt(*point.low)), high(placed.at.x(), m_plot.yAt(*point.high));
            drawInterval(painter(), low, high, colour, markerLook());
            m_obstacles.add(QPolygonF{low, high});
        } else if (point.open() && point.n > 1) {
            QPolygonF singles;
            for (const double value : point.singles)
                singles << QPointF(placed.at.x(), m_plot.yAt(value));
            drawSingles(painter(), singles, placed.mark, markerLook());
            m_obstacles.add(singles);
        }
    }

    void drawBars()
    {
        const double slot =
            m_plot.area.width() / static_cast<double>(std::max<std::size_t>(1, m_figure.x.labels.size()));
        for (std::size_t category = 0; category < m_figure.x.labels.size(); ++category)
            placeBars(static_cast<double>(category), slot);
        for (const Placed& placed : m_placed) {
            const QRectF bar(QPointF(placed.at.x() - placed.halfWidth, placed.at.y()),
                             QPointF(placed.at.x() + placed.halfWidth, m_plot.area.bottom()));
            drawBar(painter(), bar, placed.mark, placed.point->open(), look());
            m_canvas.place(bar, placed.point->runs);
            m_obstacles.add(bar);
            drawSpread(placed, look().palette.text);
        }
        for (const Placed& placed : m_placed)
            drawBarValue(placed);
    }

    /// Bars of one category side by side around its middle.
    void placeBars(double category, double slot)
    {
        std::vector<Placed> bars;
        for (const Series& series : m_panel.series)
            for (const Point& point : series.points)
                if (point.x == category)
                    bars.push_back({&point, seriesMark(series.style, series.neutral, look().palette), {}, 0});
        if (bars.empty())
            return;
        const auto count = static_cast<double>(bars.size());
        const double pitch = std::min(kSlotShare * slot / count, kWidestBar * 1.15);
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const double offset = (static_cast<double>(i) - (count - 1) / 2) * pitch;
            bars[i].at = m_plot.at(category, bars[i].point->y) + QPointF(offset, 0);
            bars[i].halfWidth = pitch * 0.44;
            m_placed.push_back(bars[i]);
        }
    }

    double topOf(const Placed& placed) const
    {
        double top = m_plot.yAt(placed.point->high.value_or(placed.point->y));
        if (placed.point->open())
            for (const double single : placed.point->singles)
                top = std::min(top, m_plot.yAt(single));
        return top;
    }

    void drawBarValue(const Placed& placed)
    {
        const QString text = qtext(report::formatShort(placed.point->y, {}, report::decimalsOf(m_figure)));
        const QRectF box = above(placed, text, 0);
        if (m_obstacles.isFree(box))
            drawLabel(box, text, look().palette.text);
    }

    QRectF above(const Placed& placed, const QString& text, int line) const
    {
        const double width = m_canvas.type().width(text), height = m_canvas.type().capHeight();
        const double bottom = topOf(placed) - kLabelGap - line * (height + kLabelGap);
        return {placed.at.x() - width / 2, bottom - height, width, height};
    }

    void drawLabel(const QRectF& box, const QString& text, const QColor& colour)
    {
        m_canvas.text(box.bottomLeft(), Qt::AlignLeft, text, colour);
        m_obstacles.add(box);
    }

    /// "n = 4" beside every point with less than six runs, wherever there is room.
    void drawRunCounts()
    {
        for (const Placed& placed : m_placed) {
            if (!placed.point->open() || placed.hidden)
                continue;
            const QString text = QStringLiteral("n = %1").arg(placed.point->n);
            const QRectF box = m_obstacles.firstFree(placesBeside(placed, text), roomy(), kClearance);
            if (!box.isNull())
                drawLabel(box, text, look().palette.warning);
        }
    }

    /// Labels may stand a little outside the plot, above and to the right of it.
    QRectF roomy() const { return m_plot.area.adjusted(0, -pt(3), kRightRoom, 0); }

    std::vector<QRectF> placesBeside(const Placed& placed, const QString& text) const
    {
        const double width = m_canvas.type().width(text), height = m_canvas.type().capHeight();
        const double away = markerHalf() + kLabelGap;
        const QPointF at = placed.at;
        if (!m_figure.lines)
            return {above(placed, text, 0), above(placed, text, 1)};
        return {{at.x() + away, at.y() - height / 2, width, height},
                {at.x() + away, at.y() + away * 0.6, width, height},
                {at.x() - width / 2, at.y() + away, width, height},
                {at.x() - away - width, at.y() - height / 2, width, height},
                {at.x() - width / 2, at.y() - away - height, width, height},
                {at.x() - width / 2, at.y() + 2 * away, width, height},
                {at.x() - width / 2, at.y() - 2 * away - height, width, height}};
    }

    /// Above bars; among lines in a free corner, the lower right one first: curves rise.
    void drawBaseText()
    {
        if (!m_panel.baseText)
            return;
        if (!m_figure.lines)
            return m_canvas.text(m_plot.area.topLeft() - QPointF(0, kLabelGap), Qt::AlignLeft, qtext(*m_panel.baseText),
                                 look().palette.text2);
        const QString text = qtext(*m_panel.baseText).replace(QStringLiteral(" = "), QStringLiteral("\u00a0=\u00a0"));
        for (const double share : {1.0, 0.62, 0.45})
            if (drawBaseLines(m_canvas.type().wrapped(text, m_plot.area.width() * share - 2 * kLabelGap)))
                return;
    }

    bool drawBaseLines(const QStringList& lines)
    {
        const Type& type = m_canvas.type();
        double width = 0;
        for (const QString& line : lines)
            width = std::max(width, type.width(line));
        const double height = type.lineHeight() * static_cast<double>(lines.size());
        const QRectF frame = m_plot.area.adjusted(kLabelGap, kLabelGap, -kLabelGap, -kLabelGap);
        std::vector<QRectF> places;
        for (const double down : {1.0, 0.85, 0.7, 0.0})
            for (const double across : {1.0, 0.5, 0.0})
                places.emplace_back(frame.left() + across * (frame.width() - width),
                                    frame.top() + down * (frame.height() - height), width, height);
        const QRectF box = m_obstacles.firstFree(places, frame.adjusted(-1, -1, 1, 1));
        if (box.isNull())
            return false;
        for (qsizetype i = 0; i < lines.size(); ++i)
            m_canvas.text({box.right(), box.top() + (static_cast<double>(i) + 0.78) * type.lineHeight()},
                          Qt::AlignRight, lines[i], look().palette.text2);
        return true;
    }

    const Canvas& m_canvas;
    const FigureData& m_figure;
    const Panel& m_panel;
    Plot m_plot;
    bool m_endLabels;
    QLineF m_ideal;
    Obstacles m_obstacles;
    PointPlaces m_places; ///< with lines
    std::vector<Placed> m_placed;
};

/// How far the label of the last count reaches beyond a plot of this width; negative: it does not.
double lastLabelBeyond(const FigureData& figure, const Type& type, double plotWidth)
{
    const report::Scale scale = report::xScale(figure);
    if (figure.x.categories || scale.ticks.empty())
        return 0;
    const report::Tick& last = scale.ticks.back();
    return type.width(qtext(last.text)) / 2 - (1 - scale.position(last.value)) * plotWidth;
}

} // namespace

PanelFrame pointFrame(const FigureData& figure, const Type& type, double panelWidth)
{
    PanelFrame frame;
    for (const Panel& panel : figure.panels)
        frame.left = std::max(frame.left, leftRoom(type, report::valueScale(figure, panel), true));
    const double labels = endLabelRoom(figure, type, panelWidth);
    frame.endLabels = labels > 0;
    frame.right = std::max({kRightRoom, labels, lastLabelBeyond(figure, type, panelWidth - frame.left - kRightRoom)});
    const bool titles = figure.panels.size() > 1;
    const bool baseAbove = !figure.lines && figure.show != report::Show::throughput;
    frame.top = (titles ? type.lineHeight() * 1.15 : 0) + (baseAbove ? type.lineHeight() : 0) + pt(4);
    int lines = 1;
    if (figure.x.categories) {
        const auto slots = static_cast<double>(std::max<std::size_t>(1, figure.x.labels.size()));
        lines = labelLines(type, report::xScale(figure), (panelWidth - frame.left - frame.right) / slots);
    }
    frame.bottom = bottomRoom(type, lines, !figure.x.title.empty());
    return frame;
}

void drawPointPanel(const Canvas& canvas, const FigureData& figure, const Panel& panel, const QRectF& plotArea,
                    bool endLabels)
{
    PointPanel drawing(canvas, figure, panel, plotArea, endLabels);
    drawing.draw();
    drawVerticalAxis(canvas, drawing.plot(), qtext(figure.y.title));
    if (figure.x.categories)
        drawCategoryAxis(canvas, drawing.plot(), qtext(figure.x.title));
    else
        drawCountAxis(canvas, drawing.plot(), qtext(figure.x.title));
}

} // namespace ringside::figures
