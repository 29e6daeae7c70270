// SPDX-License-Identifier: MIT
#include "core/protocol/versionrange.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 5> kSigns{">=", "<=", "==", ">", "<"};

/// 2.0 is 2.
int compare(std::vector<int> a, std::vector<int> b)
{
    const std::size_t length = std::max(a.size(), b.size());
    a.resize(length);
    b.resize(length);
    return a < b ? -1 : a > b;
}

bool holds(std::string_view sign, int comparison)
{
    if (sign == "==")
        return comparison == 0;
    const bool isEqualFine = sign.size() == 2;
    return (comparison == 0 && isEqualFine) || (sign.front() == '>' ? comparison > 0 : comparison < 0);
}

} // namespace

std::vector<int> versionNumbers(std::string_view text)
{
    std::vector<int> numbers;
    text.remove_prefix(std::min(text.find_first_of(kDigits), text.size()));
    for (bool goesOn = !text.empty(); goesOn;) {
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc())
            break;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        goesOn = text.starts_with('.');
        text.remove_prefix(goesOn);
    }
    return numbers;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text)
{
    VersionRange range;
    range.m_text = trimmed(text);
    for (std::string_view rest = range.m_text; !rest.empty();) {
        const std::string_view piece = trimmed(rest.substr(0, rest.find(',')));
        rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
        const auto sign = std::ranges::find_if(kSigns, [&](std::string_view s) { return piece.starts_with(s); });
        if (sign == kSigns.end())
            return std::nullopt;
        const std::string_view version = trimmed(piece.substr(sign->size()));
        if (version.empty() || kDigits.find(version.front()) == std::string_view::npos)
            return std::nullopt;
        range.m_bounds.push_back({std::string(*sign), versionNumbers(version)});
    }
    return range;
}

bool VersionRange::contains(std::string_view version) const
{
    const std::vector<int> numbers = versionNumbers(version);
    return std::ranges::all_of(m_bounds, [&](const Bound& bound) {
        return !numbers.empty() && holds(bound.sign, compare(numbers, bound.version));
    });
}

bool VersionRange::implies(const Bound& inner, const Bound& outer)
{
    const int comparison = compare(inner.version, outer.version);
    if (inner.sign == "==")
        return holds(outer.sign, comparison);
    if (inner.sign.front() != outer.sign.front())
        return false;
    const bool isOutside = inner.sign.size() == 1; // its own version is not in it
    return holds(outer.sign, comparison) || (isOutside && comparison == 0);
}

bool VersionRange::isWithin(const VersionRange& wider) const
{
    return std::ranges::all_of(wider.m_bounds, [&](const Bound& outer) {
        return std::ranges::any_of(m_bounds, [&](const Bound& inner) { return implies(inner, outer); });
    });
}

} // namespace ringside
