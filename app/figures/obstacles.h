// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a plot that are already drawn, so that labels are put where nothing is.
#pragma once

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace ringside::figures {

class Obstacles
{
public:
    void add(const QRectF& box) { m_boxes.push_back(box); }
    void add(const QPolygonF& line);

    bool isFree(const QRectF& box) const;

    /// The first of the places that is inside `frame`, and free with so much around it; a null rectangle if none is.
    QRectF firstFree(const std::vector<QRectF>& places, const QRectF& frame, double clearance = 0) const;

private:
    std::vector<QRectF> m_boxes;
    std::vector<QLineF> m_lines;
};

} // namespace ringside::figures
