// SPDX-License-Identifier: MIT
// Cells and rows that the tables of all kinds of figures share. For tables only. Pure.
#pragma once

#include "core/base/words.h"
#include "core/report/layout.h"
#include "core/report/table.h"

#include <algorithm>
#include <numeric>

namespace ringside::report {

/// The reason for which there is no interval.
inline constexpr const char* kFewRuns = Words::noop("n < 6");

/// "–" of no value.
TableCell numberCell(std::optional<double> value, int decimals, const NumberStyle& style);
TableCell rangeCell(double low, double high, int decimals, const NumberStyle& style);
/// "n < 6" where there are too few runs; `few`: why there is no interval where a group has enough runs of its own.
TableCell intervalCell(const Group& group, const Measure& measure, int decimals, const NumberStyle& style,
                       const char* few);
/// Writes a share, 0 to 1.
TableCell percentCell(std::optional<double> share, int decimals, const NumberStyle& style);

TableCell utilisationCell(const Utilisation& utilisation, Utilised what, const NumberStyle& style = {});

/// With a column for each factor, first those of the series, then x, then the panels'; where systems are compared, for
/// their versions; for n, and for failed attempts as the kind has it (tabulatesFailed); where anything runs beside
/// ranks, also what all processes use; and how busy cores and GPUs were kept, if a row has it.
Table startTable(const Comparison& comparison, const Layout& layout);
/// Fills the cells of these columns.
TableRow startRow(const Comparison& comparison, std::size_t group, const Layout& layout, const NumberStyle& style);

/// Behind the last column, where a part of the rows was emulated, serialised or imported: which of them.
void addMarks(Table& table, const Comparison& comparison);

/// Groups in the order of `keyOf(group, place of its panel, place along x)`.
template <class KeyOf>
std::vector<std::size_t> rowOrder(const Comparison& comparison, const Layout& layout, const KeyOf& keyOf)
{
    std::vector<std::size_t> order(comparison.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t index) {
        const Group& group = comparison.groups[index];
        return keyOf(group, placeOf(comparison, group, layout.panels), placeOf(comparison, group, layout.x));
    });
    return order;
}

} // namespace ringside::report
