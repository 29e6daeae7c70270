// SPDX-License-Identifier: MIT
#include "core/report/tableparts.h"

#include "core/report/caveats.h"
#include "core/report/comparedkind.h"
#include "core/report/software.h"
#include "core/stats/interval.h"

namespace ringside::report {

namespace {

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

TableCell versionCell(const std::string& version)
{
    return {version.empty() ? "–" : version, std::nullopt, false};
}

/// A row without runs would look as if nothing had been launched, in a file that has no notes.
bool haveFailed(const Comparison& comparison)
{
    const bool isForAll = comparison.kind->tabulatesFailed();
    return std::ranges::any_of(comparison.groups,
                               [&](const Group& group) { return group.failed > 0 && (isForAll || group.n() == 0); });
}

bool haveMoreThanRanks(const Comparison& comparison)
{
    return std::ranges::any_of(comparison.groups, [](const Group& group) { return group.used.areMoreThanRanks; });
}

std::vector<Utilised> toldUtilisations(const Comparison& comparison)
{
    return toldByAny(comparison.groups, [](const Group& group) { return utilisationOf(group); });
}

TableCell countCell(int count)
{
    return count ? TableCell{std::to_string(count), count, false} : TableCell{"–", std::nullopt, false};
}

} // namespace

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

TableCell intervalCell(const Group& group, const Measure& measure, int decimals, const NumberStyle& style,
                       const char* few)
{
    if (measure.low && measure.high)
        return rangeCell(*measure.low, *measure.high, decimals, style);
    if (!measure.value)
        return {"–", std::nullopt, false};
    return {group.n() < stats::kLeastRuns ? kFewRuns : few, std::nullopt, true};
}

TableCell percentCell(std::optional<double> share, int decimals, const NumberStyle& style)
{
    return share ? TableCell{formatNumber(100 * *share, decimals, style) + std::string(kThinSpace) + "%", share, false}
                 : TableCell{"–", std::nullopt, false};
}

TableCell utilisationCell(const Utilisation& utilisation, Utilised what, const NumberStyle& style)
{
    return percentCell(utilisation.of(what), 0, style);
}

Table startTable(const Comparison& comparison, const Layout& layout)
{
    Table table;
    for (const std::string& key : factorColumns(layout))
        table.columns.push_back({factorTitle(comparison, key), isCount(comparison, key)});
    if (haveVersions(comparison))
        table.columns.push_back({Words::noop("Version"), false});
    table.columns.push_back({"n", true});
    if (haveFailed(comparison))
        table.columns.push_back({Words::noop("Failed"), true});
    if (haveMoreThanRanks(comparison))
        for (const char* title : {Words::noop("Nodes in all"), Words::noop("Cores in all")})
            table.columns.push_back({title, true});
    for (const Utilised what : toldUtilisations(comparison))
        table.columns.push_back({titleOf(what), true});
    return table;
}

TableRow startRow(const Comparison& comparison, std::size_t index, const Layout& layout, const NumberStyle& style)
{
    const Group& group = comparison.groups[index];
    TableRow row{index, {}, isCollapsed(comparison, group, layout.seriesKeys()), {}};
    if (comparison.kind->hasSeries() && !layout.seriesKeys().empty())
        row.style = styleOf(comparison, group, layout);
    for (const std::string& key : factorColumns(layout))
        row.cells.push_back(levelCell(group, key));
    if (haveVersions(comparison))
        row.cells.push_back(versionCell(versionText(comparison, group)));
    row.cells.push_back({std::to_string(group.n()), group.n(), group.n() < stats::kLeastRuns});
    if (haveFailed(comparison))
        row.cells.push_back({std::to_string(group.failed), group.failed, false});
    if (haveMoreThanRanks(comparison))
        for (const int count : {group.used.nodes, group.used.cores})
            row.cells.push_back(countCell(count));
    for (const Utilised what : toldUtilisations(comparison))
        row.cells.push_back(utilisationCell(utilisationOf(group), what, style));
    return row;
}

void addMarks(Table& table, const Comparison& comparison)
{
    const std::vector<Caveat> caveats = caveatsOf(comparison);
    const auto marksOf = [&](const TableRow& row) { return partMarks(caveats, comparison.groups[row.group]); };
    if (std::ranges::all_of(table.rows, [&](const TableRow& row) { return marksOf(row).empty(); }))
        return;
    table.columns.push_back({Words::noop("Mark"), false});
    for (TableRow& row : table.rows)
        row.cells.push_back({marksOf(row), std::nullopt, false});
}

} // namespace ringside::report
