// SPDX-License-Identifier: MIT
// Enumerators by name: the inverse of a `nameOf` over the list of all values.
#pragma once

#include <optional>
#include <string_view>

namespace ringside {

/// The value of `all` (any range of E) whose nameOf() is `name`.
template <class All>
auto valueNamed(std::string_view name, const All& all) -> std::optional<std::decay_t<decltype(all[0])>>
{
    for (const auto value : all)
        if (nameOf(value) == name)
            return value;
    return std::nullopt;
}

} // namespace ringside
