// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/marks.h"

#include <QPainterPath>
#include <QString>
#include <array>

namespace ringside::figures {
namespace {

constexpr double kOutline = 1.2; // px, as all below
constexpr double kOpenStroke = 1.8;
constexpr double kIntervalStroke = 1.4;
constexpr double kCap = 8;
constexpr double kRingRadius = 8.5;
constexpr double kSingleRadius = 1.6;

QColor rgb(QRgb value)
{
    return QColor(value);
}

struct SeriesStyle
{
    QRgb light, dark;
    Marker marker;
    QList<qreal> dashes;
    Hatch hatch;
    bool outlined;
    double width;
};

/// Okabe-Ito in the order of UX 5.3; the last is for series beyond the seventh.
const std::array<SeriesStyle, kSeriesMarks + 1>& styles()
{
    static const std::array<SeriesStyle, kSeriesMarks + 1> all = {{
        {0xFF0072B2, 0xFF4AA3DF, Marker::circle, {}, Hatch::none, false, 2},
        {0xFFD55E00, 0xFFF07F3C, Marker::square, {7, 3}, Hatch::forward, false, 2},
        {0xFF009E73, 0xFF2DBE94, Marker::triangleUp, {2, 2.4}, Hatch::horizontal, false, 2},
        {0xFFCC79A7, 0xFFDF9CC3, Marker::diamond, {7, 3, 2, 3}, Hatch::backward, false, 2},
        {0xFFE69F00, 0xFFF0B43C, Marker::triangleDown, {10, 3}, Hatch::dots, true, 2},
        {0xFF56B4E9, 0xFF9AD4F5, Marker::plus, {4, 4}, Hatch::vertical, true, 2},
        {0xFF000000, 0xFFE8EAED, Marker::cross, {}, Hatch::crossed, false, 1.2},
        {0xFF8A929B, 0xFF8A929B, Marker::none, {}, Hatch::none, false, 0.8},
    }};
    return all;
}

const SeriesStyle& styleAt(int style)
{
    const bool own = style >= 0 && style < kSeriesMarks;
    return styles()[static_cast<std::size_t>(own ? style : kSeriesMarks)];
}

QPolygonF scaled(std::initializer_list<QPointF> corners, QPointF at, double radius)
{
    QPolygonF polygon;
    for (const QPointF& corner : corners)
        polygon << at + corner * radius;
    polygon << polygon.front();
    return polygon;
}

bool isStroked(Marker marker)
{
    return marker == Marker::plus || marker == Marker::cross;
}

QPainterPath strokedShape(Marker marker, QPointF at, double radius)
{
    QPainterPath path;
    const double reach = marker == Marker::plus ? radius : radius * 0.8;
    const QPointF first = marker == Marker::plus ? QPointF(reach, 0) : QPointF(reach, reach);
    const QPointF second = marker == Marker::plus ? QPointF(0, reach) : QPointF(reach, -reach);
    for (const QPointF& arm : {first, second}) {
        path.moveTo(at - arm);
        path.lineTo(at + arm);
    }
    return path;
}

/// Sizes differ so that all shapes look equally big.
QPainterPath shapeOf(Marker marker, QPointF at, double radius)
{
    QPainterPath path;
    switch (marker) {
    case Marker::circle:
        path.addEllipse(at, radius, radius);
        break;
    case Marker::square:
        path.addRect(QRectF(at, QSizeF()).adjusted(-0.88 * radius, -0.88 * radius, 0.88 * radius, 0.88 * radius));
        break;
    case Marker::triangleUp:
        path.addPolygon(scaled({{0, -1.15}, {1.08, 0.78}, {-1.08, 0.78}}, at, radius));
        break;
    case Marker::triangleDown:
        path.addPolygon(scaled({{0, 1.15}, {1.08, -0.78}, {-1.08, -0.78}}, at, radius));
        break;
    case Marker::diamond:
        path.addPolygon(scaled({{0, -1.2}, {1.1, 0}, {0, 1.2}, {-1.1, 0}}, at, radius));
        break;
    case Marker::plus:
    case Marker::cross:
        return strokedShape(marker, at, radius);
    case Marker::none:
        break;
    }
    return path;
}

void strokeMarker(QPainter& painter, const QPainterPath& path, const SeriesMark& mark, bool open, const Look& look)
{
    const double width = (open ? kOpenStroke : 2.6) * look.unit;
    if (mark.outlined)
        painter.strokePath(path, QPen(look.palette.text, width + 2 * look.unit, Qt::SolidLine, Qt::SquareCap));
    painter.strokePath(path, QPen(open ? look.palette.base : mark.colour, width, Qt::SolidLine, Qt::SquareCap));
    if (open && !mark.outlined)
        painter.strokePath(path, QPen(mark.colour, kOutline * look.unit));
}

} // namespace

const Palette& paperPalette()
{
    static const Palette palette{rgb(0xFFFFFF), rgb(0x000000), rgb(0x3C444D), rgb(0xD5DAE0),
                                 rgb(0x000000), rgb(0x8F5A00), false};
    return palette;
}

SeriesMark seriesMark(int style, bool neutral, const Palette& palette)
{
    if (neutral) {
        const SeriesStyle& shape = styleAt(style % kSeriesMarks);
        return {palette.text2, shape.marker, {}, shape.hatch, false, 2};
    }
    const SeriesStyle& own = styleAt(style);
    return {QColor::fromRgb(palette.dark ? own.dark : own.light),
            own.marker,
            own.dashes,
            own.hatch,
            own.outlined && !palette.dark,
            own.width};
}

PhaseMark phaseMark(PhasePart part)
{
    const PhaseLook& look = wordsOf(part).look;
    return {rgb(look.fill), look.hatch, rgb(look.lines), rgb(look.number)};
}

void drawLine(QPainter& painter, const QPolygonF& points, const SeriesMark& mark, const Look& look)
{
    QPen pen(mark.colour, mark.width * look.unit, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (!mark.dashes.isEmpty())
        pen.setDashPattern(mark.dashes);
    QPainterPath path;
    path.addPolygon(points);
    painter.strokePath(path, pen);
}

void drawMarker(QPainter& painter, QPointF at, const SeriesMark& mark, bool open, const Look& look)
{
    if (mark.marker == Marker::none)
        return;
    const QPainterPath shape = shapeOf(mark.marker, at, kMarkerSize / 2 * look.unit);
    if (isStroked(mark.marker))
        return strokeMarker(painter, shape, mark, open, look);
    painter.save();
    painter.setBrush(open ? look.palette.base : mark.colour);
    const QColor outline = mark.outlined ? look.palette.text : open ? mark.colour : look.palette.base;
    painter.setPen(
        QPen(outline, (open ? kOpenStroke : kOutline) * look.unit, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawPath(shape);
    painter.restore();
}

void drawSingles(QPainter& painter, const QPolygonF& points, const SeriesMark& mark, const Look& look)
{
    QPainterPath dots;
    for (const QPointF& point : points)
        dots.addEllipse(point, kSingleRadius * look.unit, kSingleRadius * look.unit);
    dots.setFillRule(Qt::WindingFill);
    painter.fillPath(dots, mark.colour);
}

void drawSample(QPainter& painter, const QRectF& sample, const SeriesMark& mark, bool neutral, const Look& look)
{
    const QPointF middle = sample.center();
    if (!neutral)
        drawLine(painter, {{sample.left(), middle.y()}, {sample.right(), middle.y()}}, mark, look);
    drawMarker(painter, middle, mark, false, look);
}

void drawInterval(QPainter& painter, QPointF low, QPointF high, const QColor& colour, const Look& look)
{
    const double half = kCap / 2 * look.unit;
    const bool horizontal = low.y() == high.y();
    const QPointF cap = horizontal ? QPointF(0, half) : QPointF(half, 0);
    QPainterPath path;
    for (const auto& [from, to] :
         {std::pair(low, high), std::pair(low - cap, low + cap), std::pair(high - cap, high + cap)}) {
        path.moveTo(from);
        path.lineTo(to);
    }
    painter.strokePath(path, QPen(colour, kIntervalStroke * look.unit, Qt::SolidLine, Qt::FlatCap));
}

void drawBar(QPainter& painter, const QRectF& bar, const SeriesMark& mark, bool open, const Look& look)
{
    painter.fillRect(bar, open ? look.palette.base : mark.colour);
    drawHatch(painter, bar, mark.hatch, open ? mark.colour : look.palette.base, look);
    const double stroke = (open ? kOpenStroke : 1) * look.unit;
    painter.save();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(open || mark.outlined ? (mark.outlined ? look.palette.text : mark.colour) : mark.colour, stroke,
                        Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawRect(bar.adjusted(stroke / 2, stroke / 2, -stroke / 2, -stroke / 2));
    painter.restore();
}

void drawBaseRing(QPainter& painter, QPointF at, const Look& look)
{
    QPainterPath ring;
    ring.addEllipse(at, kRingRadius * look.unit, kRingRadius * look.unit);
    painter.strokePath(ring, QPen(look.palette.text, kOutline * look.unit));
}

void drawIdeal(QPainter& painter, const QPolygonF& points, const Look& look)
{
    QPen pen(look.palette.text2, kOutline * look.unit, Qt::SolidLine, Qt::FlatCap);
    pen.setDashPattern({4, 2});
    QPainterPath path;
    path.addPolygon(points);
    painter.strokePath(path, pen);
}

void drawPhase(QPainter& painter, const QRectF& box, PhasePart part, const Look& look)
{
    const PhaseMark mark = phaseMark(part);
    painter.fillRect(box, mark.fill);
    drawHatch(painter, box, mark.hatch, mark.hatchColour, look);
    QPainterPath border; // 1 px of Base parts neighbours
    border.moveTo(box.topRight());
    border.lineTo(box.bottomRight());
    painter.strokePath(border, QPen(look.palette.base, look.unit, Qt::SolidLine, Qt::FlatCap));
}

void drawHiddenCommunication(QPainter& painter, const QRectF& box, const Look& look)
{
    const QColor colour = phaseMark(Phase::commExposed).fill;
    drawHatch(painter, box, Hatch::forward, colour, look);
    const double half = look.unit / 2;
    painter.save();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, look.unit, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawRect(box.adjusted(half, half, -half, -half));
    painter.restore();
}

} // namespace ringside::figures
