// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/marks.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace ringside::figures {
namespace {

constexpr double kSpacing = 5;  // px between hatch lines, seen across them
constexpr double kStroke = 1.2; // px
constexpr double kDotRadius = 0.9;

void addLine(QPainterPath& path, QPointF from, QPointF to)
{
    path.moveTo(from);
    path.lineTo(to);
}

void addHorizontal(QPainterPath& path, const QRectF& box, double spacing)
{
    const int lines = std::max(1, static_cast<int>(box.height() / spacing));
    for (int i = 0; i < lines; ++i) {
        const double y = box.top() + box.height() * (i + 0.5) / lines;
        addLine(path, {box.left(), y}, {box.right(), y});
    }
}

void addVertical(QPainterPath& path, const QRectF& box, double spacing)
{
    for (double x = box.left() + spacing / 2; x < box.right(); x += spacing)
        addLine(path, {x, box.top()}, {x, box.bottom()});
}

/// Lines x + y = c (rising to the right), cut at the box.
void addForward(QPainterPath& path, const QRectF& box, double spacing)
{
    const double step = spacing * std::sqrt(2.0);
    for (double c = box.left() + box.top() + step / 2; c < box.right() + box.bottom(); c += step) {
        const double left = std::max(box.left(), c - box.bottom());
        const double right = std::min(box.right(), c - box.top());
        addLine(path, {left, c - left}, {right, c - right});
    }
}

/// Lines x - y = c (falling to the right), cut at the box.
void addBackward(QPainterPath& path, const QRectF& box, double spacing)
{
    const double step = spacing * std::sqrt(2.0);
    for (double c = box.left() - box.bottom() + step / 2; c < box.right() - box.top(); c += step) {
        const double left = std::max(box.left(), c + box.top());
        const double right = std::min(box.right(), c + box.bottom());
        addLine(path, {left, left - c}, {right, right - c});
    }
}

void addDots(QPainterPath& path, const QRectF& box, double spacing, double radius)
{
    for (double y = box.top() + spacing / 2; y < box.bottom() - radius; y += spacing)
        for (double x = box.left() + spacing / 2; x < box.right() - radius; x += spacing)
            path.addEllipse(QPointF(x, y), radius, radius);
}

QPainterPath hatchPath(const QRectF& box, Hatch hatch, double unit)
{
    QPainterPath path;
    const double spacing = kSpacing * unit;
    if (hatch == Hatch::horizontal || hatch == Hatch::crossed)
        addHorizontal(path, box, spacing);
    if (hatch == Hatch::vertical || hatch == Hatch::crossed)
        addVertical(path, box, spacing);
    if (hatch == Hatch::forward)
        addForward(path, box, spacing);
    if (hatch == Hatch::backward)
        addBackward(path, box, spacing);
    return path;
}

} // namespace

void drawHatch(QPainter& painter, const QRectF& box, Hatch hatch, const QColor& colour, const Look& look)
{
    painter.save();
    if (hatch == Hatch::dots) {
        QPainterPath dots;
        addDots(dots, box, 0.8 * kSpacing * look.unit, kDotRadius * look.unit);
        painter.fillPath(dots, colour);
    } else if (hatch != Hatch::none) {
        painter.setPen(QPen(colour, kStroke * look.unit, Qt::SolidLine, Qt::FlatCap));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(hatchPath(box, hatch, look.unit));
    }
    painter.restore();
}

} // namespace ringside::figures
