// SPDX-License-Identifier: MIT
#include "core/logs/ranktag.h"

#include <array>

namespace ringside::logs {

namespace {

/// A form of a tag: "%" stands for the rank, "#" for a number that is not it.
constexpr auto kForms = std::to_array<std::string_view>({
    "[#,%]<stdout>:",
    "[#,%]<stderr>:",
    "[%]<stdout>:",
    "[%]<stderr>:",
    "[rank%]:",
    "[default%]:",
    "MPI Rank %: ",
    "[%] ",
    "%: ",
});

std::optional<int> takeNumber(std::string_view& text)
{
    constexpr std::size_t kMostDigits = 9;
    int number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        if (digits == kMostDigits)
            return std::nullopt;
        number = number * 10 + (text[digits] - '0');
    }
    if (digits == 0)
        return std::nullopt;
    text.remove_prefix(digits);
    return number;
}

RankTag tagOfForm(std::string_view form, std::string_view line)
{
    std::string_view rest = line;
    RankTag tag;
    for (const char c : form) {
        if (c == '%' || c == '#') {
            const auto number = takeNumber(rest);
            if (!number)
                return {};
            if (c == '%')
                tag.rank = number;
        } else if (rest.empty() || rest.front() != c) {
            return {};
        } else {
            rest.remove_prefix(1);
        }
    }
    tag.length = line.size() - rest.size();
    return tag;
}

void dropTagBehind(std::string_view& line)
{
    if (line.empty() || line.back() != ':')
        return;
    const auto begin = line.rfind('[');
    if (begin != std::string_view::npos && line.find(">:", begin) == line.size() - 2 &&
        rankTag(line.substr(begin)).length == line.size() - begin)
        line = line.substr(0, begin);
}

} // namespace

RankTag rankTag(std::string_view line)
{
    std::size_t blanks = 0;
    while (blanks < line.size() && line[blanks] == ' ')
        ++blanks;
    line.remove_prefix(blanks);
    if (line.empty() || (line.front() != '[' && line.front() != 'M' && (line.front() < '0' || line.front() > '9')))
        return {};
    for (const std::string_view form : kForms)
        if (RankTag tag = tagOfForm(form, line); tag.length > 0) {
            tag.length += blanks; // srun pads ranks to one width
            return tag;
        }
    return {};
}

std::optional<int> takeRankTag(std::string_view& line)
{
    const RankTag tag = rankTag(line);
    if (tag.length == 0)
        return std::nullopt;
    line.remove_prefix(tag.length);
    dropTagBehind(line);
    return tag.rank;
}

} // namespace ringside::logs
