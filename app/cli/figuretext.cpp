// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figuretext.h"

#include "app/cli/output.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/report/standing.h"

#include <algorithm>

namespace ringside::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string placeText(const report::Axis& axis, double x)
{
    const auto place = static_cast<std::size_t>(x);
    return axis.categories && place < axis.labels.size() ? axis.labels[place] : fmt::format("{}", x);
}

std::string intervalText(const report::Point& point, int decimals)
{
    if (point.low && point.high)
        return report::formatRange(*point.low, *point.high, decimals);
    return point.open() ? "n < 6" : "–";
}

/// A ratio of the base case to itself has no interval.
bool isRatioOfBase(const report::FigureData& figure, const report::Point& point)
{
    return point.isBase && figure.show != report::Show::throughput;
}

/// Empty where nothing else answers the same question.
std::string standingText(const std::optional<report::AgainstBest>& standing)
{
    return standing ? report::verdictText(*standing) : std::string();
}

std::string ratioText(const std::optional<report::AgainstBest>& standing)
{
    if (!standing || standing->verdict == report::Verdict::best)
        return {};
    const std::string ratio = report::formatNumber(standing->ratio, 3);
    return standing->low ? fmt::format("{} ({})", ratio, report::formatRange(*standing->low, *standing->high, 3))
                         : ratio;
}

Rows pointRows(const report::FigureData& figure, const report::Panel& panel)
{
    const int decimals = report::decimalsOf(figure);
    Rows rows;
    for (const report::Series& series : panel.series)
        for (const report::Point& point : series.points)
            rows.push_back({series.name, placeText(figure.x, point.x), report::formatNumber(point.y, decimals),
                            isRatioOfBase(figure, point) ? "base case" : intervalText(point, decimals),
                            ratioText(point.againstBest), standingText(point.againstBest), std::to_string(point.n),
                            std::to_string(point.failed), point.flags});
    return rows;
}

std::vector<Column> pointColumns(const report::FigureData& figure)
{
    return {{"Series"},
            {figure.x.title, !figure.x.categories},
            {figure.y.title, true},
            {"95 % interval", true},
            {"Of the fastest", true},
            {"Against the fastest"},
            {"n", true},
            {"Failed", true},
            {"Flags"}};
}

/// Three digits of the shortest iteration, so that phases that are parts of it can be told apart.
int decimalsOf(const std::vector<report::Stack>& stacks)
{
    std::vector<report::Measure> totals;
    for (const report::Stack& stack : stacks)
        totals.push_back({stack.total, std::nullopt, std::nullopt});
    return std::max(1, report::columnDecimals(totals));
}

Rows stackRows(const report::Panel& panel, bool loads)
{
    const int decimals = decimalsOf(panel.stacks);
    Rows rows;
    for (const report::Stack& stack : panel.stacks) {
        std::vector<std::string> cells{stack.label};
        for (const double ms : stack.phases)
            cells.push_back(report::formatNumber(ms, decimals));
        cells.push_back(report::formatNumber(stack.total, decimals));
        cells.push_back(report::formatRange(stack.low, stack.high, decimals));
        cells.push_back(report::formatNumber(stack.hiddenCommunication, decimals));
        if (loads)
            for (const double ms : {stack.read, stack.decode})
                cells.push_back(report::formatNumber(ms, decimals));
        for (const int count : {stack.n, stack.failed})
            cells.push_back(std::to_string(count));
        cells.push_back(stack.flags);
        rows.push_back(std::move(cells));
    }
    return rows;
}

std::vector<Column> stackColumns(bool loads)
{
    std::vector<Column> columns{{"ms per iteration"}};
    for (const Phase phase : kPhases)
        columns.push_back({std::string(wordsOf(phase).title), true});
    for (const char* title : {"Total", "Lowest – highest run"})
        columns.push_back({title, true});
    columns.push_back({std::string(report::kHiddenCommunication), true});
    if (loads)
        for (const std::string_view title : {report::kReading, report::kDecoding})
            columns.push_back({std::string(title), true});
    for (const char* title : {"n", "Failed"})
        columns.push_back({title, true});
    columns.push_back({"Flags"});
    return columns;
}

/// A cell without a finished run: its names, how often it failed, and nothing where a measured one has numbers.
std::vector<std::string> failedRow(std::vector<std::string> names, std::size_t columns, int failed)
{
    names.resize(columns - 3, "–");
    names.insert(names.end(), {"0", std::to_string(failed), ""});
    return names;
}

/// Where nothing differs there are no series and no place along x: such a column says nothing.
void dropEmptyColumns(std::vector<Column>& columns, Rows& rows)
{
    for (std::size_t c = columns.size(); c-- > 0;) {
        const auto isEmpty = [c](const std::vector<std::string>& row) { return row[c].empty(); };
        if (!columns[c].title.empty() && !std::all_of(rows.begin(), rows.end(), isEmpty))
            continue;
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
        for (std::vector<std::string>& row : rows)
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
    }
}

void printPanel(const report::FigureData& figure, const report::Panel& panel)
{
    const bool stacks = figure.show == report::Show::phases, loads = report::loads(figure);
    std::vector<Column> columns = stacks ? stackColumns(loads) : pointColumns(figure);
    Rows rows = stacks ? stackRows(panel, loads) : pointRows(figure, panel);
    for (const report::FailedCell& cell : figure.failedCells)
        if (cell.panel == panel.title) {
            std::vector<std::string> names{cell.name};
            if (!stacks)
                names.push_back(placeText(figure.x, cell.x));
            rows.push_back(failedRow(std::move(names), columns.size(), cell.failed));
            if (!stacks) // it takes no part in what is said against the fastest
                rows.back().end()[-5] = rows.back().end()[-4] = "";
        }
    dropEmptyColumns(columns, rows);
    if (!panel.title.empty())
        fmt::print("{}\n", panel.title);
    printTable(columns, rows);
    fmt::print("\n");
}

/// With those in which every run failed: they are not drawn.
std::vector<report::Panel> allPanels(const report::FigureData& figure)
{
    std::vector<report::Panel> panels = figure.panels;
    for (const report::FailedCell& cell : figure.failedCells)
        if (std::none_of(panels.begin(), panels.end(), [&](const auto& panel) { return panel.title == cell.panel; }))
            panels.emplace_back().title = cell.panel;
    return panels;
}

} // namespace

void printFigure(const report::FigureData& figure)
{
    for (const report::Panel& panel : allPanels(figure))
        printPanel(figure, panel);
    if (!figure.caption.empty())
        fmt::print("{}\n", figure.caption);
    for (const std::string& note : figure.notes)
        fmt::print("note: {}\n", note);
}

} // namespace ringside::cli
