// SPDX-License-Identifier: MIT
#include "core/report/table.h"

#include "core/base/words.h"
#include "core/report/differences.h"
#include "core/report/flagnotes.h"
#include "core/report/layout.h"
#include "core/report/names.h"
#include "core/report/standing.h"
#include "core/spec/schema.h"
#include "core/stats/interval.h"

#include <algorithm>

namespace ringside::report {
namespace {

constexpr const char* kFewRuns = Words::noop("n < 6");

TableCell numberCell(std::optional<double> value, int decimals, const NumberStyle& style)
{
    return value ? TableCell{formatNumber(*value, decimals, style), value, false} : TableCell{"–", std::nullopt, false};
}

TableCell rangeCell(double low, double high, int decimals, const NumberStyle& style)
{
    TableCell cell{formatRange(low, high, decimals, style), low, false};
    cell.bounds = std::pair(formatNumber(low, decimals, style), formatNumber(high, decimals, style));
    return cell;
}

TableCell intervalCell(const Group& group, const Measure& measure, int decimals, const NumberStyle& style)
{
    if (measure.low && measure.high)
        return rangeCell(*measure.low, *measure.high, decimals, style);
    const bool few = measure.value && group.n() < stats::kLeastRuns;
    return {few ? kFewRuns : "–", std::nullopt, few};
}

TableCell percentCell(std::optional<double> share, int decimals, const NumberStyle& style)
{
    return share ? TableCell{formatNumber(100 * *share, decimals, style) + std::string(kThinSpace) + "%", share, false}
                 : TableCell{"–", std::nullopt, false};
}

std::vector<Measure> columnOf(const Comparison& comparison, Measure Group::*measure)
{
    std::vector<Measure> column;
    for (const Group& group : comparison.groups)
        column.push_back(group.*measure);
    return column;
}

TableCell standingCell(const std::optional<AgainstBest>& standing)
{
    if (!standing)
        return {"–", std::nullopt, false};
    return {verdictWords(*standing), standing->verdict == Verdict::best ? 0 : standing->p,
            standing->verdict == Verdict::noClaim, standing->p ? formatP(*standing->p) : "", keysOf(standing->differs)};
}

/// As the axis of a figure has it.
std::vector<Measure> inPercent(std::vector<Measure> column)
{
    for (Measure& measure : column)
        for (std::optional<double>* share : {&measure.value, &measure.low, &measure.high})
            if (*share)
                **share *= 100;
    return column;
}

/// The ratio to the fastest and its interval, which holds for all rows at once.
void addRatioToFastest(TableRow& row, const std::optional<AgainstBest>& standing, const NumberStyle& style)
{
    constexpr int kDecimals = 3;
    const bool isRatio = standing && standing->verdict != Verdict::best;
    row.cells.push_back(numberCell(isRatio ? std::optional(standing->ratio) : std::nullopt, kDecimals, style));
    row.cells.push_back(isRatio && standing->low ? rangeCell(*standing->low, *standing->high, kDecimals, style)
                                                 : TableCell{"–", std::nullopt, false});
}

/// Factor columns: the series first, then x, then the panels' factor.
std::vector<std::string> factorColumns(const Layout& layout)
{
    std::vector<std::string> keys = layout.seriesKeys();
    for (const std::string& key : {layout.x, layout.panels})
        if (!key.empty())
            keys.push_back(key);
    return keys;
}

TableCell levelCell(const Group& group, const std::string& key)
{
    const Value* level = levelOf(group, key);
    return level ? TableCell{markedLabel(group, key), numberOf(group.settings, key), false} : TableCell{};
}

Table startTable(const Comparison& comparison, const Layout& layout)
{
    Table table;
    for (const std::string& key : factorColumns(layout))
        table.columns.push_back({factorTitle(comparison, key), isCount(comparison, key)});
    table.columns.push_back({"n", true});
    return table;
}

TableRow startRow(const Comparison& comparison, std::size_t index, const Layout& layout)
{
    const Group& group = comparison.groups[index];
    TableRow row{index, {}, isCollapsed(comparison, group, layout.seriesKeys()), {}};
    if (comparison.show != Show::phases && !layout.seriesKeys().empty())
        row.style = styleOf(comparison, group, layout);
    for (const std::string& key : factorColumns(layout))
        row.cells.push_back(levelCell(group, key));
    row.cells.push_back({std::to_string(group.n()), group.n(), group.n() < stats::kLeastRuns});
    return row;
}

/// Most devices first, then the fastest first; phases as the stacks of the figure above them.
std::vector<std::size_t> rowOrder(const Comparison& comparison, const Layout& layout)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < comparison.groups.size(); ++i)
        order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        const Group &a = comparison.groups[left], &b = comparison.groups[right];
        const auto key = [&](const Group& group) {
            const int panel = placeOf(comparison, group, layout.panels), place = placeOf(comparison, group, layout.x);
            return comparison.show == Show::phases ? std::tuple(panel, place, 0.0)
                                                   : std::tuple(panel, -place, -group.throughput.value.value_or(0));
        };
        return key(a) < key(b);
    });
    return order;
}

/// Rivals stand at the same place along x: who is the fastest there need not be the fastest of all rows.
const char* standingTitle(const Comparison& comparison, const Layout& layout)
{
    if (layout.x.empty() || layout.x == comparison.comparedFactor)
        return Words::noop("Against the fastest");
    return layout.x == "ranks" ? Words::noop("Against the fastest (same ranks)")
                               : Words::noop("Against the fastest at the same x");
}

Table measuresTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style)
{
    Table table = startTable(comparison, layout);
    const ItemWords& words = itemWords(itemsOf(comparison));
    const char* interval = Words::noop("95 % interval");
    for (const char* title : {words.perSecond, interval, Words::noop("Speed-up"), interval, Words::noop("Efficiency"),
                              Words::noop("Of the fastest"), interval})
        table.columns.push_back({title, true, title == interval});
    table.columns.push_back({standingTitle(comparison, layout), false});
    table.note = words.rateNote;
    const int rates = columnDecimals(columnOf(comparison, &Group::throughput));
    const int ratios = columnDecimals(columnOf(comparison, &Group::speedup));
    const int shares = columnDecimals(inPercent(columnOf(comparison, &Group::efficiency)));
    const bool differs = std::ranges::any_of(comparison.groups, [](const Group& g) { return !g.differs.empty(); });
    if (differs)
        table.columns.push_back({Words::noop("Base case differs"), false});
    for (const std::size_t index : rowOrder(comparison, layout)) {
        const Group& group = comparison.groups[index];
        TableRow row = startRow(comparison, index, layout);
        row.cells.push_back(numberCell(group.throughput.value, rates, style));
        row.cells.push_back(intervalCell(group, group.throughput, rates, style));
        row.cells.push_back(numberCell(group.speedup.value, ratios, style));
        row.cells.push_back(group.isBase ? TableCell{Words::noop("base case"), std::nullopt, false}
                                         : intervalCell(group, group.speedup, ratios, style));
        row.cells.push_back(percentCell(group.efficiency.value, shares, style));
        addRatioToFastest(row, group.againstBest, style);
        row.cells.push_back(standingCell(group.againstBest));
        if (differs)
            row.cells.push_back({differencesText(group), std::nullopt, !group.differs.empty()});
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<std::optional<double>> phaseValues(const Group& group)
{
    std::vector<std::optional<double>> values{group.iteration.length()};
    for (const Phase phase : kPhases)
        values.emplace_back(group.iteration.phases[static_cast<std::size_t>(phase)]);
    values.emplace_back(group.iteration.communication);
    values.emplace_back(group.iteration.hiddenCommunication());
    return values;
}

Table phasesTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style)
{
    Table table = startTable(comparison, layout);
    table.columns.push_back({Words::noop("Iteration, ms"), true});
    for (const PhaseWords& phase : kPhaseWords)
        table.columns.push_back({std::string(phase.heading), true});
    for (const char* title : {Words::noop("Comm. total"), Words::noop("Hidden"), Words::noop("Hidden share")})
        table.columns.push_back({title, true});
    table.note =
        Words::noop("ms per iteration: mean over steady iterations, ranks and runs; exposed: slower ranks are waited "
                    "for, too");
    for (const std::size_t index : rowOrder(comparison, layout)) {
        const Group& group = comparison.groups[index];
        TableRow row = startRow(comparison, index, layout);
        for (const auto& value : phaseValues(group))
            row.cells.push_back(numberCell(group.n() > 0 ? value : std::nullopt, 1, style));
        const double total = group.iteration.communication;
        row.cells.push_back(percentCell(
            total > 0 ? std::optional(group.iteration.hiddenCommunication() / total) : std::nullopt, 0, style));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Where no run bears any, such a column says nothing.
void addFlags(Table& table, const Comparison& comparison)
{
    const auto flagsOf = [&](std::size_t group) { return flagsText(comparison.groups[group]); };
    if (std::ranges::all_of(table.rows, [&](const TableRow& row) { return flagsOf(row.group).empty(); }))
        return;
    table.columns.push_back({Words::noop("Flags"), false});
    for (TableRow& row : table.rows)
        row.cells.push_back({flagsOf(row.group), std::nullopt, !flagsOf(row.group).empty()});
}

} // namespace

Table summaryTable(const Comparison& comparison, const FigureRequest& request, const NumberStyle& style)
{
    if (comparison.groups.empty())
        return {};
    const Layout layout = layoutFor(comparison, request);
    if (comparison.show == Show::phases)
        return phasesTable(comparison, layout, style); // fills a window: notes and CSV say which flags runs bear
    Table table = measuresTable(comparison, layout, style);
    addFlags(table, comparison);
    return table;
}

namespace {

std::string withTabs(const std::vector<std::string>& fields)
{
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
        line += (i == 0 ? "" : "\t") + fields[i];
    return line + "\n";
}

} // namespace

std::string TableCell::text() const
{
    std::string text = words;
    if (!amount.empty())
        text += ", " + amount;
    if (!differs.empty())
        text += ", " + differsToo(differs);
    return text;
}

std::string toTsv(const Table& table)
{
    std::vector<std::string> head;
    for (const TableColumn& column : table.columns) {
        head.push_back(column.interval ? column.title + ", low" : column.title);
        if (column.interval)
            head.push_back(column.title + ", high");
    }
    std::string text = withTabs(head);
    for (const TableRow& row : table.rows) {
        std::vector<std::string> fields;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const TableCell& cell = row.cells[i];
            fields.push_back(cell.bounds ? cell.bounds->first : cell.text());
            if (table.columns[i].interval)
                fields.push_back(cell.bounds ? cell.bounds->second : "");
        }
        text += withTabs(fields);
    }
    return text;
}

namespace {

/// What means something to TeX, and the signs that this program writes.
std::string latexText(std::string_view text)
{
    static const std::pair<std::string_view, std::string_view> kSigns[] = {{"\\", "\\textbackslash{}"},
                                                                           {"&", "\\&"},
                                                                           {"%", "\\%"},
                                                                           {"$", "\\$"},
                                                                           {"#", "\\#"},
                                                                           {"_", "\\_"},
                                                                           {"{", "\\{"},
                                                                           {"}", "\\}"},
                                                                           {"~", "\\textasciitilde{}"},
                                                                           {"^", "\\textasciicircum{}"},
                                                                           {"<", "$<$"},
                                                                           {">", "$>$"},
                                                                           {"\u2013", "--"},
                                                                           {"\u202f", "\\,"},
                                                                           {"\u00d7", "$\\times$"},
                                                                           {"\u00b7", "$\\cdot$"},
                                                                           {"\u2020", "\\textdagger{}"}};
    std::string latex;
    while (!text.empty()) {
        const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& entry) {
            return text.substr(0, entry.first.size()) == entry.first;
        });
        const bool known = sign != std::end(kSigns);
        latex += known ? sign->second : text.substr(0, 1);
        text.remove_prefix(known ? sign->first.size() : 1);
    }
    return latex;
}

} // namespace

std::string toLatex(const Table& table)
{
    std::string columns, head, body;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        columns += table.columns[i].number ? 'r' : 'l';
        head += (i == 0 ? "" : " & ") + latexText(table.columns[i].title);
    }
    for (const TableRow& row : table.rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            body +=
                (i == 0 ? "" : " & ") + latexText(row.cells[i].text()) + (i + 1 == row.cells.size() ? " \\\\\n" : "");
    return "\\begin{tabular}{" + columns + "}\n\\toprule\n" + head + " \\\\\n\\midrule\n" + body +
           "\\bottomrule\n\\end{tabular}\n";
}

} // namespace ringside::report
