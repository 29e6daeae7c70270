// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/endlabels.h"

#include "core/report/numbers.h"

#include <QPainterPath>
#include <algorithm>

namespace ringside::figures {
namespace {

using report::FigureData;
using report::Panel;
using report::Point;
using report::Series;
using report::Show;

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

QString valueText(const FigureData& figure, double value)
{
    const QString digits = qtext(report::formatShort(value, {}, report::decimalsOf(figure)));
    switch (figure.show) {
    case Show::speedup:
        return digits + u'×';
    case Show::efficiency:
        return digits + qtext(std::string(report::kThinSpace)) + u'%';
    default:
        return digits;
    }
}

/// The last point, if it stands where all lines end.
const Point* endOf(const FigureData& figure, const Series& series)
{
    if (series.neutral || series.isGray() || series.points.empty() || figure.x.ticks.empty())
        return nullptr;
    const Point& last = series.points.back();
    return last.x == *std::max_element(figure.x.ticks.begin(), figure.x.ticks.end()) ? &last : nullptr;
}

QString labelText(const FigureData& figure, const Series& series, const Point& end)
{
    const QString value = valueText(figure, end.y);
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

double endLabelRoom(const FigureData& figure, const Type& type, double panelWidth)
{
    if (!figure.lines)
        return 0;
    double widest = 0;
    for (const Panel& panel : figure.panels)
        for (const Series& series : panel.series)
            if (const Point* end = endOf(figure, series))
                widest = std::max(widest, type.width(labelText(figure, series, *end)));
    const double room = kLeader + widest + kGap;
    return widest > 0 && room <= kLargestShare * panelWidth ? room : 0;
}

void drawEndLabels(const Canvas& canvas, const FigureData& figure, const Panel& panel, const QRectF& plotArea,
                   const PointPlaces& places, Obstacles& obstacles)
{
    std::vector<EndLabel> labels;
    for (const Series& series : panel.series)
        if (const Point* end = endOf(figure, series)) {
            const QPointF at = places.at.at(end);
            labels.push_back({labelText(figure, series, *end), at, at.y()});
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
