// SPDX-License-Identifier: MIT
#include "core/base/text.h"

#include "core/base/quantity.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace ringside {

namespace {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

/// Length of the valid UTF-8 sequence at the start of `bytes`, or 0.
std::size_t utf8Length(std::string_view bytes)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const auto lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || length > bytes.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
    const bool tooBig = lead == 0xf4 && byte(1) >= 0x90;
    return overlong || surrogate || tooBig ? 0 : length;
}

/// U+2028 to U+202E, separators of lines and overrides of direction, and U+2066 to U+2069, isolates: with them a text
/// reads otherwise than it is.
bool turnsText(std::string_view sequence)
{
    if (sequence.size() != 3 || !sequence.starts_with("\xe2"))
        return false;
    const auto middle = static_cast<unsigned char>(sequence[1]), last = static_cast<unsigned char>(sequence[2]);
    return (middle == 0x80 && last >= 0xa8 && last <= 0xae) || (middle == 0x81 && last >= 0xa6 && last <= 0xa9);
}

bool isControl(std::string_view sequence)
{
    const auto c = static_cast<unsigned char>(sequence[0]);
    if (turnsText(sequence))
        return true;
    if (sequence.size() == 2 && c == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0)
        return true; // C1 controls
    return sequence.size() == 1 && (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n'));
}

constexpr std::pair<std::string_view, std::uint64_t> kSizeUnits[] = {
    {"GiB", 1u << 30}, {"MiB", 1u << 20}, {"KiB", 1u << 10}, {"B", 1}};

std::string written(const Quantity& quantity)
{
    return fmt::format("{:.{}f} {}", quantity.value, quantity.decimals, quantity.unit);
}

} // namespace

std::optional<std::string> closestWord(std::string_view word, const std::vector<std::string>& known)
{
    const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
    std::optional<std::string> best;
    std::size_t bestDistance = limit + 1;
    for (const std::string& candidate : known) {
        if (const std::size_t distance = editDistance(word, candidate); distance < bestDistance) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string plainText(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        if (bytes.starts_with("\r\n"))
            bytes.remove_prefix(1);
        const std::size_t length = utf8Length(bytes);
        const auto sequence = bytes.substr(0, std::max<std::size_t>(1, length));
        if (length == 0 || isControl(sequence))
            text += '?';
        else
            text += sequence;
        bytes.remove_prefix(sequence.size());
    }
    return text;
}

std::string_view beginning(std::string_view text, std::size_t mostBytes)
{
    if (text.size() <= mostBytes)
        return text;
    while (mostBytes > 0 && (static_cast<unsigned char>(text[mostBytes]) & 0xc0) == 0x80) // inside a character
        --mostBytes;
    return text.substr(0, mostBytes);
}

std::string_view trimmed(std::string_view text, std::string_view characters)
{
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
    return text.substr(0, text.find_last_not_of(characters) + 1);
}

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

std::string humanBytes(std::uint64_t bytes)
{
    return written(quantityOfBytes(bytes));
}

std::optional<std::uint64_t> parseSize(std::string_view text)
{
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
        return std::nullopt;
    std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
    while (!unit.empty() && unit.front() == ' ')
        unit.remove_prefix(1);
    for (const auto& [name, factor] : kSizeUnits)
        if (unit == name && number <= UINT64_MAX / factor)
            return number * factor;
    return std::nullopt;
}

std::string formatSize(std::uint64_t bytes)
{
    for (const auto& [name, factor] : kSizeUnits)
        if (bytes >= factor && bytes % factor == 0)
            return fmt::format("{} {}", bytes / factor, name);
    return "0 B";
}

std::string grouped(std::uint64_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string humanDuration(double seconds)
{
    return written(quantityOfSeconds(seconds));
}

std::string isoTime(std::int64_t wallNanoseconds)
{
    const std::time_t seconds = static_cast<std::time_t>(wallNanoseconds / 1'000'000'000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char buffer[32];
    const std::size_t n = std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {buffer, n};
}

} // namespace ringside
