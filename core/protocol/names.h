// SPDX-License-Identifier: MIT
// Enumerators by name, as in files, JSON and the database. An enumeration has its names beside it, in the order of its
// enumerators:
//   constexpr auto namesOf(Colour) { return std::to_array<std::string_view>({"red", "green"}); }
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ringside {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value)
{
    namesOf(value);
};

template <NamedEnum E> constexpr std::string_view nameOf(E value)
{
    constexpr auto names = namesOf(E{});
    return names[static_cast<std::size_t>(value)];
}

template <NamedEnum E> constexpr std::optional<E> valueNamed(std::string_view name)
{
    constexpr auto names = namesOf(E{});
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<E>(found - names.begin()));
}

} // namespace ringside
