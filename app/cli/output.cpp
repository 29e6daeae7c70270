// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include <algorithm>
#include <fmt/format.h>

namespace ringside::cli {

namespace {

std::string gap(const std::string& text, std::size_t columns)
{
    const std::size_t taken = width(text);
    return std::string(columns > taken ? columns - taken : 0, ' ');
}

} // namespace

void print(const Json& json)
{
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
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
