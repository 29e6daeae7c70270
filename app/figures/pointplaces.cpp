// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/pointplaces.h"

#include "app/figures/marks.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ringside::figures {
namespace {

using report::Point;
using report::Points;
using report::Series;

constexpr double kApart = 1.05; ///< of a marker, from the middle of one to that of the next

/// The extent of a point from top to bottom, in painter units.
struct Extent
{
    const Point* point = nullptr;
    std::size_t order = 0; ///< of its series
    double top = 0, bottom = 0;
};

/// The points of one x.
struct Column
{
    double x = 0;
    std::vector<const Point*> points; ///< in the order of the series
    double room = 0;                  ///< painter units for them, around x
};

/// Points side by side.
using Cluster = std::vector<const Point*>;

std::vector<Column> columnsOf(const Points::Panel& panel)
{
    std::map<double, Column> columns;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            if (!series.isGray()) {
                columns[point.x].x = point.x;
                columns[point.x].points.push_back(&point);
            }
    std::vector<Column> ordered;
    for (auto& [x, column] : columns)
        ordered.push_back(std::move(column));
    return ordered;
}

/// Half of the way to the nearest other column, or all of that to the edge of the plot, on both sides.
void giveRoom(std::vector<Column>& columns, const Plot& plot)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double at = plot.xAt(columns[i].x);
        double side = std::min(at - plot.area.left(), plot.area.right() - at);
        if (i > 0)
            side = std::min(side, (at - plot.xAt(columns[i - 1].x)) / 2);
        if (i + 1 < columns.size())
            side = std::min(side, (plot.xAt(columns[i + 1].x) - at) / 2);
        columns[i].room = 2 * side;
    }
}

Extent markerExtent(const Point& point, std::size_t order, const Plot& plot, double size)
{
    const double y = plot.yAt(point.y);
    return {&point, order, y - size / 2, y + size / 2};
}

/// With its interval, or the runs it stands for.
Extent fullExtent(const Point& point, std::size_t order, const Plot& plot, double size)
{
    Extent extent = markerExtent(point, order, plot, size);
    std::vector<double> values = point.open() ? point.singles : std::vector<double>();
    values.push_back(point.low.value_or(point.y));
    values.push_back(point.high.value_or(point.y));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    extent.top = std::min(extent.top, plot.yAt(*high));
    extent.bottom = std::max(extent.bottom, plot.yAt(*low));
    return extent;
}

using ExtentOf = Extent (*)(const Point&, std::size_t, const Plot&, double);

/// Points whose extents overlap, directly or by others; each cluster in the order of the series.
std::vector<Cluster> clustersOf(const Column& column, const Plot& plot, double size, ExtentOf extentOf)
{
    std::vector<Extent> extents;
    for (std::size_t i = 0; i < column.points.size(); ++i)
        extents.push_back(extentOf(*column.points[i], i, plot, size));
    std::ranges::sort(extents, {}, &Extent::top);
    std::vector<std::vector<Extent>> groups;
    double bottom = 0;
    for (const Extent& extent : extents) {
        if (groups.empty() || extent.top >= bottom)
            groups.emplace_back();
        bottom = groups.back().empty() ? extent.bottom : std::max(bottom, extent.bottom);
        groups.back().push_back(extent);
    }
    std::vector<Cluster> clusters;
    for (std::vector<Extent>& group : groups) {
        std::ranges::sort(group, {}, &Extent::order);
        clusters.emplace_back();
        for (const Extent& extent : group)
            clusters.back().push_back(extent.point);
    }
    return clusters;
}

std::size_t largest(const std::vector<Cluster>& clusters)
{
    std::size_t most = 0;
    for (const Cluster& cluster : clusters)
        most = std::max(most, cluster.size());
    return most;
}

/// Clusters by all that is drawn where these fit at full size, else by markers alone.
std::vector<Cluster> dealt(const Column& column, const Plot& plot, double size)
{
    std::vector<Cluster> clusters = clustersOf(column, plot, size, fullExtent);
    if (static_cast<double>(largest(clusters)) * kApart * size <= column.room)
        return clusters;
    return clustersOf(column, plot, size, markerExtent);
}

/// The size at which the largest cluster has room; markers that shrink may form smaller clusters, which only adds room.
double fittingScale(const Column& column, const Plot& plot, double size)
{
    const auto count = static_cast<double>(largest(dealt(column, plot, size)));
    return count > 1 ? column.room / (count * kApart * size) : 1;
}

void place(Cluster cluster, const Column& column, const Plot& plot, double size, PointPlaces& places)
{
    const double pitch = kApart * size;
    const auto fit = std::max<std::size_t>(1, static_cast<std::size_t>(column.room / pitch * (1 + 1e-9)));
    const std::size_t count = std::min(fit, cluster.size());
    if (count < cluster.size()) // all others are measured against the base
        std::ranges::stable_partition(cluster, &Point::isBase);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const double offset = i < count ? (static_cast<double>(i) - static_cast<double>(count - 1) / 2) * pitch : 0;
        places.at[cluster[i]] = plot.at(column.x, cluster[i]->y) + QPointF(offset, 0);
        if (i >= count)
            places.hidden.insert(cluster[i]);
    }
}

} // namespace

PointPlaces placePoints(const Points::Panel& panel, const Plot& plot, double unit)
{
    PointPlaces places;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            places.at[&point] = plot.at(point.x, point.y);
    std::vector<Column> columns = columnsOf(panel);
    giveRoom(columns, plot);
    for (const Column& column : columns)
        places.scale = std::min(places.scale, fittingScale(column, plot, kMarkerSize * unit));
    places.scale = std::max(places.scale, kLeastMarkerScale);
    const double size = places.scale * kMarkerSize * unit;
    for (const Column& column : columns)
        for (const Cluster& cluster : dealt(column, plot, size))
            place(cluster, column, plot, size, places);
    return places;
}

} // namespace ringside::figures
