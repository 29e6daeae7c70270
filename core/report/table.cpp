// SPDX-License-Identifier: MIT
#include "core/report/table.h"

#include "core/base/words.h"
#include "core/report/layout.h"
#include "core/report/names.h"
#include "core/spec/schema.h"
#include "core/stats/interval.h"
#include "core/stats/ranksum.h"

#include <algorithm>

namespace ringside::report {
namespace {

/// Significance of "slower" in the column "Against the fastest".
constexpr double kSignificance = 0.05;

constexpr const char* kFewRuns = Words::noop("n < 6");

TableCell numberCell(std::optional<double> value, int decimals, const NumberStyle& style)
{
    return value ? TableCell{formatNumber(*value, decimals, style), value, false} : TableCell{"–", std::nullopt, false};
}

TableCell intervalCell(const Group& group, const Measure& measure, int decimals, const NumberStyle& style)
{
    if (measure.low && measure.high)
        return {formatRange(*measure.low, *measure.high, decimals, style), measure.low, false};
    const bool few = measure.value && group.n() < stats::kLeastRuns;
    return {few ? kFewRuns : "–", std::nullopt, few};
}

TableCell percentCell(std::optional<double> share)
{
    return share ? TableCell{formatNumber(100 * *share, 0) + std::string(kThinSpace) + "%", share, false}
                 : TableCell{"–", std::nullopt, false};
}

std::vector<Measure> columnOf(const Comparison& comparison, Measure Group::*measure)
{
    std::vector<Measure> column;
    for (const Group& group : comparison.groups)
        column.push_back(group.*measure);
    return column;
}

/// Rivals differ in the series only: same panel, same place along x, same unit.
bool areRivals(const Group& a, const Group& b, const Layout& layout)
{
    const auto sameLevel = [&](const std::string& key) {
        const Value *left = levelOf(a, key), *right = levelOf(b, key);
        return left && right && *left == *right;
    };
    return itemsOf(a.factors) == itemsOf(b.factors) && (layout.x.empty() || sameLevel(layout.x)) &&
           (layout.panels.empty() || sameLevel(layout.panels));
}

const Group& fastestRival(const Comparison& comparison, const Group& of, const Layout& layout)
{
    const Group* fastest = &of;
    for (const Group& rival : comparison.groups)
        if (rival.n() > 0 && areRivals(rival, of, layout) && rival.throughput.value > fastest->throughput.value)
            fastest = &rival;
    return *fastest;
}

bool hasRival(const Comparison& comparison, const Group& of, const Layout& layout)
{
    return std::any_of(comparison.groups.begin(), comparison.groups.end(), [&](const Group& rival) {
        return &rival != &of && rival.n() > 0 && areRivals(rival, of, layout);
    });
}

TableCell standing(const Comparison& comparison, const Group& group, const Layout& layout)
{
    if (group.n() == 0 || !hasRival(comparison, group, layout))
        return {"–", std::nullopt, false};
    if (group.n() < stats::kLeastRuns)
        return {Words::noop("no claim, n < 6"), std::nullopt, true};
    const Group& fastest = fastestRival(comparison, group, layout);
    if (&fastest == &group)
        return {Words::noop("fastest"), 0, false};
    if (fastest.n() < stats::kLeastRuns)
        return {Words::noop("no claim, fastest has n < 6"), std::nullopt, true};
    const double p = stats::rankSumP(group.rates, fastest.rates);
    if (p < kSignificance)
        return {Words::noop("slower"), p, false, formatP(p)};
    return {Words::noop("no difference shown"), p, false};
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
    return level ? TableCell{spec::labelOf(key, *level), numberOf(group.factors, key), false} : TableCell{};
}

Table startTable(const Comparison& comparison, const Layout& layout)
{
    Table table;
    for (const std::string& key : factorColumns(layout))
        table.columns.push_back({factorName(key, comparison.groups.front().factors), isCount(comparison, key)});
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
const char* standingTitle(const Layout& layout)
{
    if (layout.x.empty())
        return Words::noop("Against the fastest");
    return layout.x == "ranks" ? Words::noop("Against the fastest (same ranks)")
                               : Words::noop("Against the fastest at the same x");
}

Table measuresTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style)
{
    Table table = startTable(comparison, layout);
    const ItemWords& words = itemWords(itemsOf(comparison));
    for (const char* title : {words.perSecond, Words::noop("95 % interval"), Words::noop("Speed-up"),
                              Words::noop("95 % interval"), Words::noop("Efficiency")})
        table.columns.push_back({title, true});
    table.columns.push_back({standingTitle(layout), false});
    table.note = words.rateNote;
    const int rates = columnDecimals(columnOf(comparison, &Group::throughput));
    const int ratios = columnDecimals(columnOf(comparison, &Group::speedup));
    for (const std::size_t index : rowOrder(comparison, layout)) {
        const Group& group = comparison.groups[index];
        TableRow row = startRow(comparison, index, layout);
        row.cells.push_back(numberCell(group.throughput.value, rates, style));
        row.cells.push_back(intervalCell(group, group.throughput, rates, style));
        row.cells.push_back(numberCell(group.speedup.value, ratios, style));
        row.cells.push_back(group.isBase ? TableCell{Words::noop("base case"), std::nullopt, false}
                                         : intervalCell(group, group.speedup, ratios, style));
        row.cells.push_back(percentCell(group.efficiency.value));
        row.cells.push_back(standing(comparison, group, layout));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<std::optional<double>> phaseValues(const Group& group)
{
    const auto phase = [&](Phase which) { return group.iteration.phases[static_cast<std::size_t>(which)]; };
    return {group.iteration.length(),
            phase(Phase::inputWait),
            phase(Phase::h2d),
            phase(Phase::forward),
            phase(Phase::backward),
            phase(Phase::commExposed),
            phase(Phase::update),
            phase(Phase::other),
            group.iteration.communication,
            group.iteration.hiddenCommunication()};
}

Table phasesTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style)
{
    Table table = startTable(comparison, layout);
    for (const char* title :
         {Words::noop("Iteration, ms"), Words::noop("Input wait"), Words::noop("Host to device"),
          Words::noop("Forward"), Words::noop("Backward"), Words::noop("Exposed"), Words::noop("Update"),
          Words::noop("Other"), Words::noop("Comm. total"), Words::noop("Hidden"), Words::noop("Hidden share")})
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
        row.cells.push_back(
            percentCell(total > 0 ? std::optional(group.iteration.hiddenCommunication() / total) : std::nullopt));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

Table summaryTable(const Comparison& comparison, const FigureRequest& request, const NumberStyle& style)
{
    if (comparison.groups.empty())
        return {};
    const Layout layout = layoutFor(comparison, request);
    return comparison.show == Show::phases ? phasesTable(comparison, layout, style)
                                           : measuresTable(comparison, layout, style);
}

std::string toTsv(const Table& table)
{
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        text += (i == 0 ? "" : "\t") + table.columns[i].title;
    for (const TableRow& row : table.rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += (i == 0 ? "\n" : "\t") + row.cells[i].text();
    return text + "\n";
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
                                                                           {"\u00b7", "$\\cdot$"}};
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
