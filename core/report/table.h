// SPDX-License-Identifier: MIT
// The summary below a chart as rows of text with sortable values (UX 3.5). English, the language of exports; titles,
// words and note are marked, so that the window can show them in its own. Pure; any thread.
#pragma once

#include "core/report/figure.h"
#include "core/report/numbers.h"

namespace ringside::report {

struct TableColumn
{
    std::string title;
    bool number = false;    ///< right-aligned, sorted by value
    bool interval = false;  ///< two columns where a table is copied: its ends
    std::string marks = {}; ///< ", emulated" behind the title where a table is copied, away from its figure
};

struct TableCell
{
    std::string words;                                              ///< a number, a level, or marked words
    std::optional<double> value;                                    ///< absent: sorts by text, after all values
    bool warning = false;                                           ///< "n < 6", "no claim, n < 6"
    std::string amount = {};                                        ///< behind words: "p = 0.003"
    std::vector<std::string> differs = {};                          ///< settings in which it differs from the fastest
    std::optional<std::pair<std::string, std::string>> bounds = {}; ///< of an interval

    /// "slower, p = 0.003, differs in precision, too".
    std::string text() const;
};

struct TableRow
{
    std::size_t group = 0;    ///< index into Comparison::groups
    std::optional<int> style; ///< of its series, as in the figure; absent where there is none
    bool neutral = false;     ///< belongs to all series
    std::vector<TableCell> cells;
};

struct Table
{
    std::vector<TableColumn> columns;
    std::vector<TableRow> rows;
    std::string note; ///< "images/s: work over time of a run; interval: 95 % of the median over runs"
};

/// Throughput, speed-up, efficiency and the standing against the fastest that answers the same question (standing.h);
/// or, for phases, ms per iteration. `request` as for the figure above it.
Table summaryTable(const Comparison& comparison, const FigureRequest& request = {}, const NumberStyle& style = {});

} // namespace ringside::report
