// SPDX-License-Identifier: MIT
#include "core/jobs/duration.h"

#include <charconv>
#include <fmt/format.h>

namespace ringside::jobs {

namespace {

constexpr std::int64_t kMaxPart = 1'000'000;

/// A whole number of digits only.
std::optional<std::int64_t> number(std::string_view text)
{
    std::int64_t value = -1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    return whole && text.front() != '-' && value <= kMaxPart ? std::optional(value) : std::nullopt;
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
    std::int64_t seconds = 0;
    for (int parts = 1; parts <= 3; ++parts) {
        const auto colon = text.find(':');
        const auto part = number(text.substr(0, colon));
        if (!part)
            return std::nullopt;
        seconds = seconds * 60 + *part;
        if (colon == std::string_view::npos)
            return days * 86'400 + seconds;
        text.remove_prefix(colon + 1);
    }
    return std::nullopt;
}

std::string formatDuration(std::int64_t seconds)
{
    const std::int64_t minutes = (seconds + 59) / 60;
    return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

} // namespace ringside::jobs
