// SPDX-License-Identifier: MIT
// A form of tables of message sizes, which a benchmark of links prints: heads, a line of titles, and rows of numbers.
// Made from a file of resources/links (core/adapters/linktoml.h). A value.
#pragma once

#include "core/logs/pattern.h"
#include "core/protocol/names.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// The operation that a table is about.
enum class TableOf : std::uint8_t
{
    untold,   ///< no head names it
    other,    ///< one that Ringside has no use for: its rows are counted, and not read
    pingPong, ///< half a round trip between two ranks
    stream,   ///< one way between two ranks, many messages under way at once
    allReduce
};
constexpr auto namesOf(TableOf)
{
    return std::to_array<std::string_view>({"untold", "other", "ping_pong", "stream", "all_reduce"});
}

/// The memory that messages lay in.
enum class TableMemory : std::uint8_t
{
    host,
    gpu,
    untold ///< a program that may use either, and does not say which
};
constexpr auto namesOf(TableMemory)
{
    return std::to_array<std::string_view>({"host", "gpu", "untold"});
}

/// The content of a column.
enum class ColumnOf : std::uint8_t
{
    nothing,      ///< that is used
    bytes,        ///< of the message
    time,         ///< µs: of one rank, or the mean over ranks
    leastTime,    ///< µs: of the fastest rank
    mostTime,     ///< µs: of the slowest rank
    megabytes,    ///< MB/s: size over time
    anyMegabytes, ///< MB/s or MiB/s: versions differ
    gigabytes,    ///< GB/s: size over time
    busGigabytes, ///< GB/s: the same, times what an all-reduce sends at least (core/report/linkfigure.h)
    wrong,        ///< values of the result that were wrong
    verdict,      ///< “Pass”, or else the result was wrong
    condition     ///< one of the column's `only`, or else the row is of another operation
};
constexpr auto namesOf(ColumnOf)
{
    return std::to_array<std::string_view>({"nothing", "bytes", "microseconds", "least_microseconds",
                                            "most_microseconds", "megabytes_per_second", "mega_or_mebibytes_per_second",
                                            "gigabytes_per_second", "bus_gigabytes_per_second", "wrong_values",
                                            "verdict", "condition"});
}

struct TableColumn
{
    std::string title;
    ColumnOf holds = ColumnOf::nothing;
    std::vector<std::string> only = {}; ///< texts, of a condition
};

/// A line before a table. One that names an operation begins a table, and so does any behind rows.
struct TableHead
{
    LinePattern pattern; ///< its fields `ranks` and `nodes` are used
    TableOf operation = TableOf::untold;
    std::optional<TableMemory> memory = {}; ///< what it says of it
    std::string backend = {};               ///< as the setting has it: "nccl"
    /// True if another program prints what follows, of which no row is used; holds until a head says otherwise.
    std::optional<bool> isForeign = {};
};

struct LinkForm
{
    std::vector<TableHead> heads;       ///< in the order in which they are tried
    std::vector<LinePattern> titles;    ///< of the line above the rows; in that order, too
    std::vector<TableColumn> columns;   ///< that this line may name, in any order and number
    TableOf presumed = TableOf::untold; ///< without a head, where rates of the rows bear it out
    /// A line for each rank, with field `rank`, and behind which text its host stands.
    std::optional<LinePattern> rankLine = {};
    std::string hostBehind = {};
    std::vector<LinePattern> summaries =
        {}; ///< behind the rows, with fields `bus_gigabytes_per_second` or `wrong_values`
};

} // namespace ringside::logs
