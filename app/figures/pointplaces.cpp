// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/pointplaces.h"

#include "app/figures/marks.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ringside::figures {
namespace {

using report::Panel;
using report::Point;
using report::Series;

constexpr double kApart = 0.8 * kMarkerSize; ///< px from one series to the next
constexpr double kLargestShare = 0.5;        ///< of the way to the next x that all of them take

using Column = std::vector<const Point*>; ///< the points of one x, in the order of the series

std::map<double, Column> columnsOf(const Panel& panel)
{
    std::map<double, Column> columns;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            columns[point.x].push_back(&point);
    return columns;
}

/// What a point takes up from top to bottom, in painter units.
std::pair<double, double> extentOf(const Point& point, const Plot& plot, double unit)
{
    std::vector<double> values = point.open() ? point.singles : std::vector<double>();
    values.push_back(point.y);
    values.push_back(point.low.value_or(point.y));
    values.push_back(point.high.value_or(point.y));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double half = kMarkerSize / 2 * unit, y = plot.yAt(point.y);
    return {std::min(plot.yAt(*high), y - half), std::max(plot.yAt(*low), y + half)};
}

bool collide(const Column& column, const Plot& plot, double unit)
{
    std::vector<std::pair<double, double>> extents;
    for (const Point* point : column)
        extents.push_back(extentOf(*point, plot, unit));
    std::sort(extents.begin(), extents.end());
    for (std::size_t i = 1; i < extents.size(); ++i)
        if (extents[i].first < extents[i - 1].second)
            return true;
    return false;
}

/// From one x to the nearest other one, in painter units.
double spacing(const std::map<double, Column>& columns, const Plot& plot)
{
    double least = plot.area.width();
    std::optional<double> before;
    for (const auto& [x, column] : columns) {
        const double at = plot.xAt(x);
        least = std::min(least, before ? at - *before : least);
        before = at;
    }
    return least;
}

} // namespace

PointPlaces placePoints(const Panel& panel, const Plot& plot, double unit)
{
    PointPlaces places;
    const auto columns = columnsOf(panel);
    const double room = kLargestShare * spacing(columns, plot);
    for (const auto& [x, column] : columns) {
        const auto count = static_cast<double>(column.size());
        const double apart = collide(column, plot, unit) ? std::min(kApart * unit, room / count) : 0;
        for (std::size_t i = 0; i < column.size(); ++i)
            places[column[i]] =
                plot.at(x, column[i]->y) + QPointF((static_cast<double>(i) - (count - 1) / 2) * apart, 0);
    }
    return places;
}

} // namespace ringside::figures
