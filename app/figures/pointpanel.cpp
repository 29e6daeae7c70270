// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/endlabels.h"
#include "app/figures/panels.h"
#include "app/figures/pointplaces.h"
#include "core/report/numbers.h"

#include <algorithm>

namespace ringside::figures {
namespace {

using report::Point;
using report::Points;
using report::Series;

constexpr double kLabelGap = pt(2.5);
constexpr double kSlotShare = 0.72; ///< of a category that its bars fill
constexpr double kWidestBar = pt(26);
constexpr double kRightRoom = pt(3);   ///< beside the plot
constexpr double kClearance = pt(0.9); ///< of a number of runs from lines, which have a width
constexpr double kPlotHeightMm = 40;   ///< if no height is asked for
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

/// Draws one panel; lives only for that.
class PointPanel
{
public:
    PointPanel(const Canvas& canvas, const Points& points, const Points::Panel& panel, const QRectF& area,
               bool endLabels)
        : m_canvas(canvas)
        , m_points(points)
        , m_panel(panel)
        , m_plot{area, report::xScale(points.x), report::valueScale(points, panel)}
        , m_endLabels(endLabels)
    {
    }

    void draw()
    {
        drawValueGrid(m_canvas, m_plot);
        if (m_panel.ideal != Points::Ideal::none)
            drawIdealLine();
        if (m_points.lines)
            drawLinesAndMarkers();
        else
            drawBars();
        if (m_panel.ideal != Points::Ideal::none)
            drawIdealName();
        if (m_endLabels)
            drawEndLabels(m_canvas, m_points, m_panel, m_plot.area, m_places, m_obstacles);
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
        const auto [from, to] = std::minmax_element(m_points.x.ticks.begin(), m_points.x.ticks.end());
        m_ideal = {m_plot.at(*from, report::idealAt(m_points, m_panel, *from)),
                   m_plot.at(*to, report::idealAt(m_points, m_panel, *to))};
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
            m_plot.area.width() / static_cast<double>(std::max<std::size_t>(1, m_points.x.labels.size()));
        for (std::size_t category = 0; category < m_points.x.labels.size(); ++category)
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
        const QString text = qtext(report::formatShort(placed.point->y, {}, report::decimalsOf(m_points)));
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

    /// Labels may be a little outside the plot, above and to the right of it.
    QRectF roomy() const { return m_plot.area.adjusted(0, -pt(3), kRightRoom, 0); }

    std::vector<QRectF> placesBeside(const Placed& placed, const QString& text) const
    {
        const double width = m_canvas.type().width(text), height = m_canvas.type().capHeight();
        const double away = markerHalf() + kLabelGap;
        const QPointF at = placed.at;
        if (!m_points.lines)
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
        if (!m_points.lines)
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
    const Points& m_points;
    const Points::Panel& m_panel;
    Plot m_plot;
    bool m_endLabels;
    QLineF m_ideal;
    Obstacles m_obstacles;
    PointPlaces m_places; ///< with lines
    std::vector<Placed> m_placed;
};

/// The overhang of the last count's label beyond a plot of this width; negative: it has none.
double lastLabelBeyond(const Points& points, const Type& type, double plotWidth)
{
    const report::Scale scale = report::xScale(points.x);
    if (points.x.categories || scale.ticks.empty())
        return 0;
    const report::Tick& last = scale.ticks.back();
    return type.width(qtext(last.text)) / 2 - (1 - scale.position(last.value)) * plotWidth;
}

// ---- the key

KeyEntry seriesEntry(const report::Series& series, bool lines)
{
    KeyEntry entry{qtext(series.name), lines ? kLineSample : kSwatch, {}};
    entry.draw = [style = series.style, neutral = series.neutral, lines](const Canvas& canvas, const QRectF& sample) {
        const SeriesMark mark = seriesMark(style, neutral, canvas.look().palette);
        if (!lines)
            return drawBar(canvas.painter(), sample, mark, false, canvas.look());
        drawSample(canvas.painter(), sample, mark, neutral, canvas.look());
    };
    return entry;
}

KeyEntry grayEntry(std::size_t count, bool lines)
{
    KeyEntry entry = seriesEntry({{}, report::kSeriesColours, false, {}}, lines);
    entry.text = QStringLiteral("%1 more").arg(count);
    return entry;
}

KeyEntry idealEntry()
{
    return {QStringLiteral("ideal"), kLineSample, [](const Canvas& canvas, const QRectF& sample) {
                drawIdeal(canvas.painter(),
                          {{sample.left(), sample.center().y()}, {sample.right(), sample.center().y()}}, canvas.look());
            }};
}

KeyEntry openEntry(bool lines)
{
    return {QStringLiteral("n < 6, single runs"), lines ? kMarkerSample : kSwatch,
            [lines](const Canvas& canvas, const QRectF& sample) {
                const SeriesMark mark = seriesMark(0, true, canvas.look().palette);
                if (lines)
                    drawMarker(canvas.painter(), sample.center(), mark, true, canvas.look());
                else
                    drawBar(canvas.painter(), sample, mark, true, canvas.look());
            }};
}

/// The base case of a ratio is ringed and written out. If other series collapsed as well, its shape has to be named.
bool isNamedAsBase(const Points::Panel& panel, const Series& series)
{
    return series.neutral && std::ranges::count_if(panel.series, &Series::neutral) == 1 &&
           std::ranges::all_of(series.points, &Point::isBase);
}

bool isInKey(const Points::Panel& panel, const Series& series)
{
    return !series.name.empty() && !series.isGray() && !isNamedAsBase(panel, series);
}

/// Each once, by style.
std::vector<const Series*> seriesInKey(const Points& points)
{
    std::vector<const Series*> all;
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series) {
            const bool isKnown =
                std::ranges::any_of(all, [&](const Series* other) { return other->name == series.name; });
            if (!isKnown && isInKey(panel, series))
                all.push_back(&series);
        }
    std::ranges::stable_sort(all, {}, &Series::style);
    return all;
}

bool anyOpen(const Points& points)
{
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            if (std::ranges::any_of(series.points, &Point::open))
                return true;
    return false;
}

bool anyIdeal(const Points& points)
{
    return std::ranges::any_of(points.panels,
                               [](const Points::Panel& panel) { return panel.ideal != Points::Ideal::none; });
}

class PointPainter : public PanelPainter
{
public:
    explicit PointPainter(const Points& points)
        : m_points(points)
    {
    }

    std::vector<QString> titles() const override { return titlesOf(m_points.panels); }
    PanelFrame frame(const Type& type, double panelWidth) const override;
    double plotHeight() const override { return kPlotHeightMm * kUnitsPerMm; }
    std::vector<KeyEntry> keyEntries() const override
    {
        std::vector<KeyEntry> entries;
        for (const Series* series : seriesInKey(m_points))
            entries.push_back(seriesEntry(*series, m_points.lines));
        if (const auto gray = report::grayNames(m_points); !gray.empty())
            entries.push_back(grayEntry(gray.size(), m_points.lines));
        if (anyIdeal(m_points))
            entries.push_back(idealEntry());
        if (anyOpen(m_points))
            entries.push_back(openEntry(m_points.lines));
        return entries;
    }
    void draw(const Canvas& canvas, std::size_t panel, const QRectF& plotArea, const PanelFrame& frame) const override
    {
        PointPanel drawing(canvas, m_points, m_points.panels[panel], plotArea, frame.endLabels);
        drawing.draw();
        drawVerticalAxis(canvas, drawing.plot(), qtext(m_points.y.title));
        const auto drawAxis = m_points.x.categories ? drawCategoryAxis : drawCountAxis;
        drawAxis(canvas, drawing.plot(), qtext(m_points.x.title));
    }

private:
    const Points& m_points;
};

PanelFrame PointPainter::frame(const Type& type, double panelWidth) const
{
    PanelFrame frame;
    for (const Points::Panel& panel : m_points.panels)
        frame.left = std::max(frame.left, leftRoom(type, report::valueScale(m_points, panel), true));
    const double labels = endLabelRoom(m_points, type, panelWidth);
    frame.endLabels = labels > 0;
    frame.right = std::max({kRightRoom, labels, lastLabelBeyond(m_points, type, panelWidth - frame.left - kRightRoom)});
    const bool haveTitles = m_points.panels.size() > 1;
    const bool isBaseAbove = !m_points.lines && m_points.isRatio;
    frame.top = (haveTitles ? type.lineHeight() * 1.15 : 0) + (isBaseAbove ? type.lineHeight() : 0) + pt(4);
    double lines = 1;
    if (m_points.x.categories) {
        const auto slots = static_cast<double>(std::max<std::size_t>(1, m_points.x.labels.size()));
        lines = labelLines(type, report::xScale(m_points.x), (panelWidth - frame.left - frame.right) / slots);
    }
    frame.bottom = bottomRoom(type, lines, !m_points.x.title.empty());
    return frame;
}

} // namespace

std::unique_ptr<PanelPainter> painterOf(const Points& points)
{
    return std::make_unique<PointPainter>(points);
}

} // namespace ringside::figures
