// SPDX-License-Identifier: MIT
// The lines that Ringside's drivers print, and users' scripts by the module ringside_records (agent/drivers/README.md).
// Pure; input is hostile.
#pragma once

#include "core/protocol/sample.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::logs {

inline constexpr std::string_view kDriverHead = "ringside 1 "; ///< begins each such line

/// A process that begins to record.
struct DriverBegin
{
    int rank = 0, ranks = 1;
    std::uint32_t items = 0; ///< of an iteration; 0: not stated
    bool ofAll = false;      ///< it speaks for all ranks: so are the items of its iterations
    /// By dotted names: "libraries.mkl". Where they are no JSON there is one alone: "left_out" is "all".
    std::map<std::string, std::string> facts;

    /// The system's own lines report the iterations, or facts that could not be read may have said so.
    bool leavesToLines() const;
    /// The number that these lines use for the first iteration whose time they report; 0 unless it is stated.
    std::uint32_t firstOfLines() const;
    bool operator==(const DriverBegin&) const = default;
};

/// The sample has the phases that the line names, the rest of its length in `other`.
struct DriverIteration
{
    Sample sample;
    std::optional<int> rank = {}; ///< that made it, where several may print into one log
    bool operator==(const DriverIteration&) const = default;
};

struct DriverEnd
{
    std::uint32_t iterations = 0;
    std::optional<int> rank = {}; ///< as of DriverIteration
    bool operator==(const DriverEnd&) const = default;
};

using DriverLine = std::variant<DriverBegin, DriverIteration, DriverEnd>;

/// Returns where such a line begins within another one: behind a progress bar, say, that went to the same log without
/// an end. Its size if there is none.
std::size_t beginOfDriverLine(std::string_view line);

/// Nothing: it is no such line, one of a later version, or not whole.
std::optional<DriverLine> readDriverLine(std::string_view line);

} // namespace ringside::logs
