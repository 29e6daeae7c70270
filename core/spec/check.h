// SPDX-License-Identifier: MIT
// A finding about an experiment, with its place in the file, if it came from one.
#pragma once

#include "core/base/error.h"
#include "core/protocol/names.h"
#include "core/protocol/settings.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

enum class Severity
{
    blocking,
    warning,
    hint
};
constexpr auto namesOf(Severity)
{
    return std::to_array<std::string_view>({"blocking", "warning", "hint"});
}
using ringside::nameOf;

/// Counted from 1, as editors do; 0 where unknown.
struct Position
{
    int line = 0;
    int column = 0;
    bool operator==(const Position&) const = default;
};

/// Places of the fields of a file. Keys are field paths as in Check::field.
using Positions = std::map<std::string, Position, std::less<>>;

/// The position of `field`, else of the nearest field that contains it: "factors.ranks[2]", "factors.ranks", "factors".
Position positionOf(const Positions& positions, std::string_view field);

struct Check
{
    Severity severity = Severity::blocking;
    std::string
        field; ///< path in the file: "name", "factors.ranks", "factors.ranks[2]" (level, from 0), "when[0].set.model"
    std::string value; ///< what was found there, as text; may be empty
    int line = 0;      ///< from 1; 0: not known
    int column = 0;
    std::string message; ///< what is wrong, one sentence
    std::string hint;    ///< what would be right; may be empty
    bool operator==(const Check&) const = default;
};

using ringside::toText; // values have one, too

/// One line for people: "plans.toml, line 14, column 9: expected a list, found “1, 2, 4”. Write [1, 2, 4]."
std::string toText(const Check& check, std::string_view file = {});

/// The same, with the hint apart; of code usage.
Error errorOf(Check check, std::string_view file);

bool hasBlocking(const std::vector<Check>& checks);

/// The gravest first; within a severity by line, then as they were found.
void sortByGravity(std::vector<Check>& checks);

} // namespace ringside::spec
