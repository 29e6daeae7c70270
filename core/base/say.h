// SPDX-License-Identifier: MIT
// Prints a program's messages to its output or its log.
#pragma once

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace ringside {

/// Writes `text` and a line break to standard output or to standard error, at once. Any thread. Never throws, and waits
/// for no room: a log on a full disk is no reason to end a program. False where the line is not whole in there.
bool sayLine(std::string_view text) noexcept;
bool sayErrorLine(std::string_view text) noexcept;

/// The same of a text in fmt's format.
template <class... T> bool say(fmt::format_string<T...> format, T&&... arguments)
{
    return sayLine(fmt::format(format, std::forward<T>(arguments)...));
}
template <class... T> bool sayError(fmt::format_string<T...> format, T&&... arguments)
{
    return sayErrorLine(fmt::format(format, std::forward<T>(arguments)...));
}

} // namespace ringside
