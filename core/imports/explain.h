// SPDX-License-Identifier: MIT
// Shows what each form makes of one line: for those who look why a log is read as it is, or write a table. Pure.
#pragma once

#include "core/logs/format.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::imports {

struct FieldReading
{
    std::string_view name; ///< as patterns have it, in the quantity's own unit: "seconds"
    double value = 0;
    std::string_view description; ///< marked for translation
};

struct LineReading
{
    const logs::LogFormat* format = nullptr;
    std::optional<logs::LineForm> form = {}; ///< always there; a line of a table of links is context or summary
    std::vector<FieldReading> fields = {};
};

struct LineExplained
{
    std::optional<int> rank; ///< by a launcher's tag
    std::vector<LineReading> readings;
    bool isRow = false; ///< or may be: of a table of links, where its titles stand above it
};

/// A line as it stands in a log, its end may be missing. The first pattern of each form that matches, as in reading.
LineExplained explainLine(std::string_view line, std::span<const logs::LogFormat> formats);

/// "an interval of one rank": what lines of this form are about, in the user's language.
std::string subjectText(const logs::LineForm& form);

} // namespace ringside::imports
