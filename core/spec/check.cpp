// SPDX-License-Identifier: MIT
#include "core/spec/check.h"

#include "core/base/words.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ringside::spec {

namespace {

std::string placeText(const Check& check, std::string_view file)
{
    if (check.line == 0)
        return std::string(file);
    const std::string line =
        check.column > 0 ? Words::tr("line {}, column {}", check.line, check.column) : Words::tr("line {}", check.line);
    return file.empty() ? line : fmt::format("{}, {}", file, line);
}

/// "factors.ranks[2]" -> "factors.ranks" -> "factors" -> "".
std::string_view parentOf(std::string_view field)
{
    const std::size_t cut = field.find_last_of(".[");
    return cut == std::string_view::npos ? std::string_view{} : field.substr(0, cut);
}

} // namespace

Position positionOf(const Positions& positions, std::string_view field)
{
    for (; !field.empty(); field = parentOf(field))
        if (const auto found = positions.find(field); found != positions.end())
            return found->second;
    return {};
}

std::string toText(const Check& check, std::string_view file)
{
    std::string text = placeText(check, file);
    if (!text.empty())
        text += ": ";
    text += check.message;
    if (!check.hint.empty())
        text += " " + check.hint;
    return text;
}

Error errorOf(Check check, std::string_view file)
{
    std::string hint = std::exchange(check.hint, {});
    return {ErrorCode::usage, toText(check, file), std::move(hint)};
}

bool hasBlocking(const std::vector<Check>& checks)
{
    return std::ranges::any_of(checks, [](const Check& c) { return c.severity == Severity::blocking; });
}

void sortByGravity(std::vector<Check>& checks)
{
    const auto rank = [](const Check& c) { return std::make_tuple(c.severity, c.line); };
    std::ranges::stable_sort(checks, [&](const Check& a, const Check& b) { return rank(a) < rank(b); });
}

} // namespace ringside::spec
