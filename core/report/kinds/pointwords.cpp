// SPDX-License-Identifier: MIT
#include "core/report/kinds/pointwords.h"

#include "core/report/figurewords.h"
#include "core/report/standing.h"
#include "core/report/tableparts.h"
#include "core/stats/interval.h"

#include <algorithm>
#include <functional>

namespace ringside::report {
namespace {

bool hasFewRuns(const Group& group)
{
    return group.n() > 0 && group.n() < stats::kLeastRuns;
}

/// Returns whether a ratio has no interval although its own runs are enough: those of its base case are too few.
bool lacksRunsOfBase(const Group& group, const Measure& ratio)
{
    return ratio.value && !ratio.low && !group.isBase && !hasFewRuns(group);
}

bool hasIntervals(const Comparison& drawn)
{
    return std::ranges::any_of(drawn.groups,
                               [&](const Group& group) { return drawn.kind->measureOf(group).low.has_value(); });
}

/// Returns whether ratios lack their intervals for the runs of their base cases alone.
bool isShortOfBaseRuns(const Comparison& drawn)
{
    return drawn.kind->isRatio() && std::ranges::any_of(drawn.groups, [&](const Group& group) {
               return lacksRunsOfBase(group, drawn.kind->measureOf(group));
           });
}

/// The farthest place of points along x.
double farEndOf(const Points::Panel& panel)
{
    double x = 0;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            x = std::max(x, point.x);
    return x;
}

/// "buckets 14.4, 1-bit 13.3 with 4 runs" at a place along x.
std::string pointsAt(double x, const Points::Panel& panel, int decimals)
{
    std::string text;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            if (point.x == x)
                text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", series.name.empty() ? "" : series.name + " ",
                                    formatShort(point.y, {}, decimals),
                                    point.open() ? fmt::format(" with {}", counted(point.n, "run", "runs")) : "");
    return text;
}

std::string intervalText(const Points& points, const Point& point, int decimals)
{
    if (point.low && point.high)
        return formatRange(*point.low, *point.high, decimals);
    return point.open() ? "n < 6" : points.isRatio ? "base case n < 6" : "–";
}

std::string placeText(const Axis& axis, double x)
{
    const auto place = static_cast<std::size_t>(x);
    return axis.categories && place < axis.labels.size() ? axis.labels[place] : fmt::format("{}", x);
}

std::string ratioText(const std::optional<AgainstBest>& standing)
{
    if (!standing || standing->verdict == Verdict::best)
        return {};
    const std::string ratio = formatNumber(standing->ratio, 3);
    return standing->low ? fmt::format("{} ({})", ratio, formatRange(*standing->low, *standing->high, 3)) : ratio;
}

std::vector<Utilised> toldUtilisations(const Points& points)
{
    std::vector<Utilisation> all;
    for (const Points::Panel& panel : points.panels)
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                all.push_back(point.utilisation);
    return toldByAny(all, std::identity());
}

std::vector<TableColumn> printedColumns(const Points& points)
{
    std::vector<TableColumn> columns{{"Series"},
                                     {points.x.title, !points.x.categories},
                                     {"Version"},
                                     {points.y.title, true},
                                     {"95 % interval", true},
                                     {"Of the fastest", true},
                                     {"Against the fastest"}};
    for (const Utilised what : toldUtilisations(points))
        columns.push_back({titleOf(what), true});
    columns.insert(columns.end(), {{"n", true}, {"Failed", true}, {"Flags"}});
    return columns;
}

/// A ratio of the base case to itself has no interval.
std::vector<std::string> printedRow(const Points& points, const Series& series, const Point& point, int decimals)
{
    std::vector<std::string> cells{series.name,
                                   placeText(points.x, point.x),
                                   point.origin.version,
                                   formatNumber(point.y, decimals),
                                   point.isBase ? "base case" : intervalText(points, point, decimals),
                                   ratioText(point.againstBest),
                                   point.againstBest ? verdictText(*point.againstBest) : std::string()};
    for (const Utilised what : toldUtilisations(points))
        cells.push_back(utilisationCell(point.utilisation, what).text());
    cells.insert(cells.end(), {std::to_string(point.n), std::to_string(point.failed), point.flags});
    return cells;
}

/// Its runs failed, all of them.
std::vector<std::string> printedRow(const Points& points, const FailedCell& failed)
{
    std::vector<std::string> cells{failed.name, placeText(points.x, failed.x), "", "–", "–", "", ""};
    cells.insert(cells.end(), toldUtilisations(points).size(), "–");
    cells.insert(cells.end(), {"0", std::to_string(failed.failed), ""});
    return cells;
}

} // namespace

std::vector<std::string> pointKeyNotes(const Comparison& drawn, std::string_view interval)
{
    std::vector<std::string> notes;
    if (hasIntervals(drawn))
        notes.push_back(fmt::format("bars: {}", interval));
    if (std::ranges::any_of(drawn.groups, hasFewRuns))
        notes.emplace_back("open: n < 6, no interval, single runs as dots");
    if (isShortOfBaseRuns(drawn))
        notes.emplace_back("no bar: base case n < 6");
    return notes;
}

std::string pointMarksText(const Comparison& drawn, const Points& points, const std::string& point,
                           std::string_view intervals)
{
    const char* marks = points.lines ? "Points" : "Bars";
    const std::string text = fmt::format(" {}: {}.", marks, point);
    const bool areFew = std::ranges::any_of(drawn.groups, hasFewRuns);
    const char* missing = !isShortOfBaseRuns(drawn) ? areFew ? "n < 6" : nullptr
                          : areFew                  ? "n < 6 on either side"
                                                    : "n < 6 of the base case";
    if (!hasIntervals(drawn))
        return text + (missing ? fmt::format(" No intervals: {}.", missing) : "");
    return text +
           fmt::format(" Error bars: 95 % {}{}.", intervals, missing ? fmt::format(", not drawn for {}", missing) : "");
}

std::string spokenPoints(const Comparison& comparison, const Layout& layout, const Points& points)
{
    std::string text;
    for (const Points::Panel& panel : points.panels) {
        const double x = farEndOf(panel);
        text += panel.title.empty() ? " " : " " + panel.title + ": ";
        if (points.lines)
            text += fmt::format("at {:g} {}: ", x, factorTitle(comparison, layout.x));
        else if (points.x.labels.size() > 1)
            text += fmt::format("at {}: ", placeText(points.x, x));
        text += pointsAt(x, panel, decimalsOf(points));
        if (panel.ideal != Points::Ideal::none)
            text += "; ideal " + formatShort(idealAt(points, panel, x));
        text += ".";
    }
    return text;
}

std::vector<PrintedPanel> printedPoints(const Points& points, const std::vector<FailedCell>& failed)
{
    const int decimals = decimalsOf(points);
    std::vector<PrintedPanel> printed;
    for (const Points::Panel& panel : points.panels) {
        printed.push_back({panel.title, printedColumns(points), {}});
        for (const Series& series : panel.series)
            for (const Point& point : series.points)
                printed.back().rows.push_back(printedRow(points, series, point, decimals));
    }
    for (const FailedCell& cell : failed)
        panelNamed(printed, cell.panel, printedColumns(points)).rows.push_back(printedRow(points, cell));
    return printed;
}

} // namespace ringside::report
