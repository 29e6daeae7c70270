// SPDX-License-Identifier: MIT
// Text helpers that every room needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The known word closest to `word` within an edit distance of a third of its length (at least 1); for suggestions.
std::optional<std::string> closestWord(std::string_view word, const std::vector<std::string>& known);

/// Bytes from elsewhere as one safe text: control characters (but not tab and newline) and invalid UTF-8 become "?",
/// the line ends of networks and Windows ("\r\n") a newline.
std::string plainText(std::string_view bytes);

/// The beginning of a text, at most so many bytes, whole characters of UTF-8. A view of `text`.
std::string_view beginning(std::string_view text, std::size_t mostBytes);

/// Letters and digits are those of ASCII, in every locale.
constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
constexpr bool isAlphanumeric(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The text without these characters at its ends. A view of `text`.
std::string_view trimmed(std::string_view text, std::string_view characters = " ");

/// Small letters in place of A to Z, in every locale.
std::string lowerCase(std::string text);

/// "110 MB": decimal units, three significant digits. For sizes of files and rates.
std::string humanBytes(std::uint64_t bytes);

/// Binary sizes as in experiment files: "25 MiB" <-> 26214400. Units: B, KiB, MiB, GiB.
std::optional<std::uint64_t> parseSize(std::string_view text);
std::string formatSize(std::uint64_t bytes);

/// "12,480".
std::string grouped(std::uint64_t number);

/// "42 s", "12 min", "4.8 h".
std::string humanDuration(double seconds);

/// UTC as 2026-11-21T09:14:00Z.
std::string isoTime(std::int64_t wallNanoseconds);

} // namespace ringside
