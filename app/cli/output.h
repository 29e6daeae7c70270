// SPDX-License-Identifier: GPL-3.0-or-later
// Text in columns and JSON, as every command writes them.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::cli {

using Json = nlohmann::ordered_json;

/// To standard output; every command prints there by these functions alone. What cannot be written does not end the
/// command: isPrinted() says so at its end.
void printBytes(std::string_view text);
/// The same of a text in fmt's format.
template <class... T> void printText(fmt::format_string<T...> format, T&&... arguments)
{
    printBytes(fmt::format(format, std::forward<T>(arguments)...));
}
/// Flushes standard output. False if any of what was printed is not there.
bool isPrinted();

/// Indented; bytes that are no UTF-8 are replaced.
void print(const Json& json);

/// Null for an empty text.
Json textOrNull(std::string_view text);

struct Column
{
    std::string title;
    bool isNumber = false; ///< right-aligned
};
/// Each column is as wide as its widest cell. Every row has a cell for each column.
void printTable(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

/// Local time: "14:05" today, "2026-11-20 14:05" on another day.
std::string clockText(std::int64_t wallNs);

/// Columns of the text on a terminal: one per code point.
std::size_t width(const std::string& text);
/// With spaces at its end, or at its beginning, up to `columns`.
std::string leftAligned(const std::string& text, std::size_t columns);
std::string rightAligned(const std::string& text, std::size_t columns);

} // namespace ringside::cli
