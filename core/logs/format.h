// SPDX-License-Identifier: MIT
// A form of logs: which lines a program prints while it trains, or which tables of links, and what they mean. Made from
// a table of core/adapters. A value.
#pragma once

#include "core/logs/linkform.h"
#include "core/logs/pattern.h"
#include "core/protocol/engine.h"
#include "core/protocol/names.h"
#include "core/protocol/versionrange.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::logs {

/// Subject of the numbers in a line.
enum class Meaning : std::uint8_t
{
    interval,  ///< the time since the line before, or the iterations that it names
    iteration, ///< one iteration alone, whatever lies between two lines
    mean,      ///< all iterations since the run's or the epoch's beginning
    epoch,     ///< a whole epoch: used only where nothing finer is printed
    summary,   ///< the whole run, in the program's own words: checked, and never a record
    context,   ///< what holds from here on: batch, ranks, epoch; a loss belongs to the record that follows
    start,     ///< another run begins
    test,      ///< an evaluation, which took time between two records
    part,      ///< a part of the iteration whose record follows: its time belongs to that one's
    reporter   ///< as context; and records of scope rank that the process prints from here on have this line's scope
};
constexpr auto namesOf(Meaning)
{
    return std::to_array<std::string_view>(
        {"interval", "iteration", "mean", "epoch", "summary", "context", "start", "test", "part", "reporter"});
}

/// Ranks whose work a line is about.
enum class Scope : std::uint8_t
{
    rank, ///< the process that printed it
    node, ///< all ranks of its node
    all   ///< all ranks
};
constexpr auto namesOf(Scope)
{
    return std::to_array<std::string_view>({"rank", "node", "all"});
}

/// Items that a program counts, where the model that it trains does not decide.
enum class LineItems : std::uint8_t
{
    model, ///< those that the model is trained with: images or sequences
    sequences,
    tokens ///< of text; how many make a sequence, a log need not tell
};
constexpr auto namesOf(LineItems)
{
    return std::to_array<std::string_view>({"model", "sequences", "tokens"});
}

struct LineForm
{
    LinePattern pattern;
    Meaning meaning = Meaning::interval;
    Scope scope = Scope::rank;
    VersionRange versions = {}; ///< of the system, that print it; all: not told
};

struct LogFormat
{
    std::string name;  ///< in files and commands: "mxnet"
    std::string title; ///< "MXNet"
    /// In the order in which they are tried; the first that matches says what the line means.
    std::vector<LineForm> lines;
    int warmupRecords = 1;              ///< of each rank, which the figure leaves out
    LineItems items = LineItems::model; ///< of its rates, batches and epochs
    std::optional<LinkForm> links = {}; ///< of a benchmark of links, which has tables in place of lines
};

/// Makes the format of an engine whose patterns are right; passes over others. Has no lines where it has none.
LogFormat formatOf(std::string name, const Engine& engine);

} // namespace ringside::logs
