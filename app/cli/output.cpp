// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "core/base/clock.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace ringside::cli {

namespace {

std::tm localTime(std::int64_t wallNs)
{
    const std::time_t seconds = static_cast<std::time_t>(wallNs / 1'000'000'000);
    std::tm local{};
    localtime_r(&seconds, &local);
    return local;
}

std::string gap(const std::string& text, std::size_t columns)
{
    const std::size_t taken = width(text);
    return std::string(columns > taken ? columns - taken : 0, ' ');
}

/// No spaces behind the last cell that has a text.
void printRow(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
              const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        line += c == 0 ? "" : "  ";
        line += columns[c].isNumber ? rightAligned(cells[c], widths[c]) : leftAligned(cells[c], widths[c]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    printText("{}\n", line);
}

} // namespace

void printBytes(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout); // ferror() remembers what was lost
}

bool isPrinted()
{
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void print(const Json& json)
{
    printText("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

Json textOrNull(std::string_view text)
{
    return text.empty() ? Json() : Json(text);
}

void printTable(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        titles.push_back(columns[c].title);
        widths.push_back(width(titles.back()));
        for (const auto& row : rows)
            widths[c] = std::max(widths[c], width(row[c]));
    }
    printRow(columns, widths, titles);
    for (const auto& row : rows)
        printRow(columns, widths, row);
}

std::string clockText(std::int64_t wallNs)
{
    const std::tm then = localTime(wallNs), now = localTime(ringside::wallNs());
    const bool isToday = then.tm_year == now.tm_year && then.tm_yday == now.tm_yday;
    char buffer[32];
    const std::size_t n = std::strftime(buffer, sizeof buffer, isToday ? "%H:%M" : "%Y-%m-%d %H:%M", &then);
    return {buffer, n};
}

std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string leftAligned(const std::string& text, std::size_t columns)
{
    return text + gap(text, columns);
}

std::string rightAligned(const std::string& text, std::size_t columns)
{
    return gap(text, columns) + text;
}

} // namespace ringside::cli
