// SPDX-License-Identifier: MIT
#include "core/report/tableforms.h"

#include "core/base/sequences.h"
#include "core/base/words.h"

#include <algorithm>
#include <array>

namespace ringside::report {

namespace {

std::string titleOf(const TableColumn& column)
{
    return column.title + column.marks;
}

/// Tab-separated, with a header line. An interval is two cells.
std::string toTsv(const Table& table)
{
    std::vector<std::string> head;
    for (const TableColumn& column : table.columns) {
        head.push_back(titleOf(column) + (column.interval ? ", low" : ""));
        if (column.interval)
            head.push_back(titleOf(column) + ", high");
    }
    std::string text = joined(head, "\t") + "\n";
    for (const TableRow& row : table.rows) {
        std::vector<std::string> fields;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const TableCell& cell = row.cells[i];
            fields.push_back(cell.bounds ? cell.bounds->first : cell.text());
            if (table.columns[i].interval)
                fields.push_back(cell.bounds ? cell.bounds->second : "");
        }
        text += joined(fields, "\t") + "\n";
    }
    return text;
}

/// Escapes what means something to TeX, and the signs that this program writes.
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

/// A tabular with the rules of package booktabs; whatever the words, it compiles.
std::string toLatex(const Table& table)
{
    const auto title = [](const TableColumn& column) { return latexText(titleOf(column)); };
    const auto text = [](const TableCell& cell) { return latexText(cell.text()); };
    const std::string columns = joined(table.columns, "", [](const auto& column) { return column.number ? "r" : "l"; });
    const std::string head = joined(table.columns, " & ", title);
    std::string body;
    for (const TableRow& row : table.rows)
        body += joined(row.cells, " & ", text) + " \\\\\n";
    return "\\begin{tabular}{" + columns + "}\n\\toprule\n" + head + " \\\\\n\\midrule\n" + body +
           "\\bottomrule\n\\end{tabular}\n";
}

constexpr auto kAll = std::to_array<TableForm>(
    {{"tsv", Words::noop("Copy t&able"), toTsv}, {"latex", Words::noop("Copy table as &LaTeX"), toLatex}});

} // namespace

std::span<const TableForm> tableForms()
{
    return kAll;
}

const TableForm* findTableForm(std::string_view name)
{
    const auto found = std::ranges::find(kAll, name, &TableForm::name);
    return found == kAll.end() ? nullptr : &*found;
}

} // namespace ringside::report
