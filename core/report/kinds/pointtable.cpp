// SPDX-License-Identifier: MIT
#include "core/report/kinds/pointtable.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/caveats.h"
#include "core/report/differences.h"
#include "core/report/flagnotes.h"
#include "core/report/standing.h"
#include "core/report/tableparts.h"

#include <algorithm>
#include <tuple>

namespace ringside::report {
namespace {

constexpr const char* kFewRunsOfBase = Words::noop("base case n < 6");

std::vector<Measure> columnOf(const Comparison& comparison, Measure Group::*measure)
{
    return mapped(comparison.groups, [&](const Group& group) { return group.*measure; });
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

/// Rivals are at the same place along x: who is the fastest there need not be the fastest of all rows.
const char* standingTitle(const Comparison& comparison, const Layout& layout)
{
    if (layout.x.empty() || layout.x == comparison.comparedFactor)
        return Words::noop("Against the fastest");
    return layout.x == "ranks" ? Words::noop("Against the fastest (same ranks)")
                               : Words::noop("Against the fastest at the same x");
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

/// The base case where it is another engine's, of which there may be several; that of each: "Ringside · mxnet".
bool isOfOtherEngine(const Comparison& comparison, const Group& group)
{
    return group.base && textOf(comparison.cases[*group.base].settings, "engine") != textOf(group.settings, "engine");
}

TableCell baseCell(const Comparison& comparison, const Group& group)
{
    if (!isOfOtherEngine(comparison, group))
        return {"–", std::nullopt, false};
    return {engineAndPlan(comparison, comparison.cases[*group.base].settings), std::nullopt, false};
}

/// Most devices first, then the fastest first.
std::vector<std::size_t> mostFirst(const Comparison& comparison, const Layout& layout)
{
    return rowOrder(comparison, layout, [](const Group& group, int panel, int place) {
        return std::tuple(panel, -place, -group.throughput.value.value_or(0));
    });
}

} // namespace

Table pointTable(const Comparison& comparison, const Layout& layout, const NumberStyle& style)
{
    Table table = startTable(comparison, layout);
    const ItemWords& words = itemWords(itemsOf(comparison));
    const char* interval = Words::noop("95 % interval");
    table.columns.push_back({words.perSecond, true, false, axisCaveats(caveatsOf(comparison))});
    for (const char* title : {interval, Words::noop("Speed-up"), interval, Words::noop("Efficiency")})
        table.columns.push_back({title, true, title == interval});
    const bool perNode =
        std::ranges::any_of(comparison.groups, [](const Group& g) { return g.efficiencyPerNode.value.has_value(); });
    if (perNode)
        table.columns.push_back({Words::noop("Efficiency per node"), true});
    table.columns.push_back({Words::noop("Of the fastest"), true});
    table.columns.push_back({interval, true, true});
    table.columns.push_back({standingTitle(comparison, layout), false});
    table.note = words.rateNote;
    const int rates = columnDecimals(columnOf(comparison, &Group::throughput));
    const int ratios = columnDecimals(columnOf(comparison, &Group::speedup));
    const int shares = columnDecimals(inPercent(columnOf(comparison, &Group::efficiency)));
    const bool differs = std::ranges::any_of(comparison.groups, [](const Group& g) { return !g.differs.empty(); });
    const bool namesBase =
        std::ranges::any_of(comparison.groups, [&](const Group& group) { return isOfOtherEngine(comparison, group); });
    if (namesBase)
        table.columns.push_back({Words::noop("Base case"), false});
    if (differs)
        table.columns.push_back({Words::noop("Base case differs"), false});
    for (const std::size_t index : mostFirst(comparison, layout)) {
        const Group& group = comparison.groups[index];
        TableRow row = startRow(comparison, index, layout, style);
        row.cells.push_back(numberCell(group.throughput.value, rates, style));
        row.cells.push_back(intervalCell(group, group.throughput, rates, style, kFewRuns));
        row.cells.push_back(numberCell(group.speedup.value, ratios, style));
        row.cells.push_back(group.isBase ? TableCell{Words::noop("base case"), std::nullopt, false}
                                         : intervalCell(group, group.speedup, ratios, style, kFewRunsOfBase));
        row.cells.push_back(percentCell(group.efficiency.value, shares, style));
        if (perNode)
            row.cells.push_back(percentCell(group.efficiencyPerNode.value, shares, style));
        addRatioToFastest(row, group.againstBest, style);
        row.cells.push_back(standingCell(group.againstBest));
        if (namesBase)
            row.cells.push_back(baseCell(comparison, group));
        if (differs)
            row.cells.push_back({differencesText(group), std::nullopt, !group.differs.empty()});
        table.rows.push_back(std::move(row));
    }
    addFlags(table, comparison);
    addMarks(table, comparison);
    return table;
}

} // namespace ringside::report
