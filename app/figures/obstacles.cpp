// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/obstacles.h"

#include <algorithm>
#include <array>

namespace ringside::figures {
namespace {

bool crosses(const QLineF& line, const QRectF& box)
{
    if (box.contains(line.p1()) || box.contains(line.p2()))
        return true;
    const std::array<QLineF, 4> edges = {{{box.topLeft(), box.topRight()},
                                          {box.topRight(), box.bottomRight()},
                                          {box.bottomRight(), box.bottomLeft()},
                                          {box.bottomLeft(), box.topLeft()}}};
    return std::any_of(edges.begin(), edges.end(), [&](const QLineF& edge) {
        return edge.intersects(line, nullptr) == QLineF::BoundedIntersection;
    });
}

} // namespace

void Obstacles::add(const QPolygonF& line)
{
    for (qsizetype i = 1; i < line.size(); ++i)
        m_lines.emplace_back(line[i - 1], line[i]);
}

bool Obstacles::isFree(const QRectF& box) const
{
    return std::none_of(m_boxes.begin(), m_boxes.end(), [&](const QRectF& other) { return other.intersects(box); }) &&
           std::none_of(m_lines.begin(), m_lines.end(), [&](const QLineF& line) { return crosses(line, box); });
}

QRectF Obstacles::firstFree(const std::vector<QRectF>& places, const QRectF& frame, double clearance) const
{
    for (const QRectF& place : places)
        if (frame.contains(place) && isFree(place.adjusted(-clearance, -clearance, clearance, clearance)))
            return place;
    return {};
}

} // namespace ringside::figures
