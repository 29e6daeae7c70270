// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace ringside {

/// The number that the whole text is, as std::from_chars reads it: no blanks, no “+”. nullopt for anything else.
template <class Number> std::optional<Number> parseNumber(std::string_view text)
{
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

} // namespace ringside
