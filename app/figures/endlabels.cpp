// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/endlabels.h"

#include "core/report/numbers.h"

#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

using report::Point;
using report::Points;
using report::Series;

constexpr double kLargestShare = 0.3; // of the panel's width
constexpr double kGap = pt(2.5);
constexpr double kLeader = pt(8); // from the plot's edge to the text
constexpr double kLeaderStroke = pt(0.4);
constexpr double kPitch = 1.05; // line heights from one label to the next

struct EndLabel
{
    QString text;
    QPointF marker;
    double y = 0; ///< middle of the text
};

QString valueText(const Points& points, double value)
{
    return qtext(report::formatShort(value, {}, report::decimalsOf(points)) + points.suffix);
}

/// The last point, if it is where all lines end.
const Point* endOf(const Points& points, const Series& series)
{
    if (series.neutral || series.isGray() || series.points.empty() || points.x.ticks.empty())
        return nullptr;
    const Point& last = series.points.back();
    return last.x == *std::max_element(points.x.ticks.begin(), points.x.ticks.end()) ? &last : nullptr;
}

QString labelText(const Points& points, const Series& series, const Point& end)
{
    const QString value = valueText(points, end.y);
    return series.name.empty() ? value : qtext(series.name) + u' ' + value;
}

void pushApart(std::vector<EndLabel>& labels, double pitch, double top, double bottom)
{
    std::sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
    double least = top;
    for (EndLabel& label : labels) {
        label.y = std::max(label.y, least);
        least = label.y + pitch;
    }
    double most = bottom;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
        label->y = std::min(label->y, most);
        most = label->y - pitch;
    }
}

void drawLeader(const Canvas& canvas, QPointF marker, QPointF text, Obstacles& obstacles)
{
    const QPointF from = marker + QPointF(kMarkerSize / 2 * canvas.look().unit + kGap, 0);
    const QPolygonF line{from, {std::max(from.x(), text.x() - kLeader), marker.y()}, text - QPointF(kGap, 0)};
    obstacles.add(line);
    QPainterPath path;
    path.addPolygon(line);
    canvas.painter().strokePath(path, QPen(canvas.look().palette.text2, kLeaderStroke));
}

} // namespace

double endLabelRoom(const Points& points, const Type& type, double panelWidth)
{
    if (!points.lines)
        return 0;
    double widest = 0;
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            if (const Point* end = endOf(points, series))
                widest = std::max(widest, type.width(labelText(points, series, *end)));
    const double room = kLeader + widest + kGap;
    return widest > 0 && room <= kLargestShare * panelWidth ? room : 0;
}

void drawEndLabels(const Canvas& canvas, const Points& points, const Points::Panel& panel, const QRectF& plotArea,
                   const PointPlaces& places, Obstacles& obstacles)
{
    std::vector<EndLabel> labels;
    for (const Series& series : panel.series)
        if (const Point* end = endOf(points, series)) {
            const QPointF at = places.at.at(end);
            labels.push_back({labelText(points, series, *end), at, at.y()});
        }
    pushApart(labels, kPitch * canvas.type().lineHeight(), plotArea.top(), plotArea.bottom());
    const double height = canvas.type().capHeight();
    for (const EndLabel& label : labels) {
        const QPointF middle(plotArea.right() + kLeader, label.y);
        drawLeader(canvas, label.marker, middle, obstacles);
        canvas.text(middle + QPointF(0, height / 2), Qt::AlignLeft, label.text, canvas.look().palette.text);
        obstacles.add(QRectF(middle - QPointF(0, height / 2), QSizeF(canvas.type().width(label.text), height)));
    }
}

} // namespace ringside::figures
