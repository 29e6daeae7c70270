// SPDX-License-Identifier: MIT
#include "core/jobs/duration.h"

#include "core/base/parsenumber.h"

#include <fmt/format.h>
#include <vector>

namespace ringside::jobs {

namespace {

constexpr std::int64_t kMaxPart = 1'000'000, kDay = 86'400;

/// A whole number of digits only.
std::optional<std::int64_t> number(std::string_view text)
{
    const auto value = parseNumber<std::int64_t>(text);
    return value && text.front() != '-' && *value <= kMaxPart ? value : std::nullopt;
}

/// Parts between colons, one to three; empty if one is no number.
std::vector<std::int64_t> partsOf(std::string_view text)
{
    std::vector<std::int64_t> parts;
    for (;;) {
        const auto colon = text.find(':');
        const auto part = number(text.substr(0, colon));
        if (!part || parts.size() == 3)
            return {};
        parts.push_back(*part);
        if (colon == std::string_view::npos)
            return parts;
        text.remove_prefix(colon + 1);
    }
}

} // namespace

std::optional<std::int64_t> parseDuration(std::string_view text)
{
    std::int64_t days = 0;
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        const auto parsed = number(text.substr(0, dash));
        if (!parsed)
            return std::nullopt;
        days = *parsed;
        text.remove_prefix(dash + 1);
    }
    const std::vector<std::int64_t> parts = partsOf(text);
    if (parts.empty())
        return std::nullopt;
    std::int64_t seconds = 0;
    for (const std::int64_t part : parts)
        seconds = seconds * 60 + part;
    return days * kDay + seconds;
}

std::optional<std::int64_t> parseTimeLimit(std::string_view text)
{
    const auto dash = text.find('-');
    if (dash == std::string_view::npos && text.find(':') == std::string_view::npos) {
        const auto minutes = number(text);
        return minutes ? std::optional(*minutes * 60) : std::nullopt;
    }
    if (dash == std::string_view::npos)
        return parseDuration(text);
    const auto days = number(text.substr(0, dash));
    std::vector<std::int64_t> parts = partsOf(text.substr(dash + 1));
    if (!days || parts.empty())
        return std::nullopt;
    parts.resize(3); // hours come first
    return *days * kDay + (parts[0] * 60 + parts[1]) * 60 + parts[2];
}

std::string formatDuration(std::int64_t seconds)
{
    const std::int64_t minutes = (seconds + 59) / 60;
    return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

} // namespace ringside::jobs
