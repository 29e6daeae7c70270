// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figuretext.h"

#include "app/cli/output.h"
#include "core/base/sequences.h"
#include "core/report/comparedkind.h"

#include <algorithm>

namespace ringside::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Where nothing differs there are no series and no place along x, and where no systems are compared no versions: such
/// a column says nothing.
void dropEmptyColumns(std::vector<Column>& columns, Rows& rows)
{
    for (std::size_t c = columns.size(); c-- > 0;) {
        const auto isEmpty = [c](const std::vector<std::string>& row) { return row[c].empty(); };
        if (!columns[c].title.empty() && !std::ranges::all_of(rows, isEmpty))
            continue;
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
        for (std::vector<std::string>& row : rows)
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
    }
}

void printPanel(report::PrintedPanel panel)
{
    std::vector<Column> columns = mapped(panel.columns, [&](const report::TableColumn& column) {
        return Column{column.title, column.number};
    });
    dropEmptyColumns(columns, panel.rows);
    if (!panel.title.empty())
        printText("{}\n", panel.title);
    printTable(columns, panel.rows);
    printText("\n");
}

} // namespace

void printFigure(const report::Analysis& analysis)
{
    const report::FigureData& figure = analysis.figure;
    for (report::PrintedPanel& panel : analysis.comparison.kind->printed(figure))
        printPanel(std::move(panel));
    if (!figure.caption.empty())
        printText("{}\n", figure.caption);
    for (const std::string& note : figure.notes)
        printText("note: {}\n", note);
}

} // namespace ringside::cli
