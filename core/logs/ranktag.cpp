// SPDX-License-Identifier: MIT
#include "core/logs/ranktag.h"

#include "core/base/text.h"
#include "core/logs/namenumbers.h"
#include "core/logs/stamp.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ringside::logs {

namespace {

/// A form of a tag: "%" stands for the rank, "*" for the name of a job or the place of a process, "#" for the number of
/// a process behind a name.
constexpr auto kForms = std::to_array<std::string_view>({
    "[*,%]<stdout>:",
    "[*,%]<stderr>:",
    "[*,%][*]<stdout>:",
    "[*,%][*]<stderr>:",
    "[*,mpirank:%,*]<stdout>:",
    "[*,mpirank:%,*]<stderr>:",
    "[%]<stdout>:",
    "[%]<stderr>:",
    "[rank%]:",
    "[default%]:",
    "MPI Rank %: ",
    "[%] ",
    "%: ",
    "[named #] ",
});

std::optional<int> takeNumber(std::string_view& text)
{
    constexpr std::size_t kMostDigits = 9;
    int number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && isDigit(text[digits]); ++digits) {
        if (digits == kMostDigits)
            return std::nullopt;
        number = number * 10 + (text[digits] - '0');
    }
    if (digits == 0)
        return std::nullopt;
    text.remove_prefix(digits);
    return number;
}

/// Names hold neither blanks nor what a tag has between its parts.
constexpr bool endsName(char c)
{
    return c == ' ' || c == ',' || c == '[' || c == ']';
}

bool takeName(std::string_view& text)
{
    std::size_t length = 0; // a loop, which is faster here than a search for one of several characters
    while (length < text.size() && !endsName(text[length]))
        ++length;
    text.remove_prefix(length);
    return length > 0;
}

/// The first such character behind the front one; 0: there is none. A line of a form has the form's, since neither
/// names nor numbers hold one.
constexpr char endOfName(std::string_view text)
{
    for (std::size_t at = 1; at < text.size(); ++at)
        if (endsName(text[at]))
            return text[at];
    return 0;
}

constexpr auto kEnds = [] {
    std::array<char, kForms.size()> ends{};
    for (std::size_t form = 0; form < kForms.size(); ++form)
        ends[form] = endOfName(kForms[form]);
    return ends;
}();

RankTag tagOfForm(std::string_view form, std::string_view line)
{
    std::string_view rest = line;
    RankTag tag;
    for (const char c : form) {
        if (c == '%' || c == '#') {
            tag.rank = takeNumber(rest);
            if (!tag.rank || isRank(*tag.rank) != (c == '%'))
                return {};
        } else if (c == '*') {
            if (!takeName(rest))
                return {};
        } else if (rest.empty() || rest.front() != c) {
            return {};
        } else {
            rest.remove_prefix(1);
        }
    }
    if (form.ends_with(">:") && rest.starts_with(' ')) // of Open MPI since version 5
        rest.remove_prefix(1);
    tag.length = line.size() - rest.size();
    return tag;
}

/// The characters of names of pods and containers at the front of the text.
std::string_view wordOf(std::string_view text)
{
    constexpr std::size_t kLongest = 253; // of a name in DNS
    constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    text = text.substr(0, kLongest);
    return text.substr(0, std::min(text.find_first_not_of(kCharacters), text.size()));
}

/// Returns the number of a task before torchrun's tag: that counts the ranks of one node, so both make the name of one.
PodTag taskTag(std::string_view line)
{
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view text = line.substr(begin);
    const std::size_t length = tagOfForm("%: ", text).length;
    const std::string_view behind = text.substr(length);
    const bool isTag =
        length > 0 && (tagOfForm("[default%]:", behind).length > 0 || tagOfForm("[rank%]:", behind).length > 0);
    return isTag ? PodTag{begin + length, text.substr(0, length - 2)} : PodTag{};
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
    const std::size_t stamp = foreignStamp(line);
    std::size_t begin = stamp;
    while (begin < line.size() && line[begin] == ' ')
        ++begin;
    line.remove_prefix(begin);
    if (line.empty() || (line.front() != '[' && line.front() != 'M' && !isDigit(line.front())))
        return {stamp};
    const char end = endOfName(line);
    for (std::size_t form = 0; form < kForms.size(); ++form) {
        if (kEnds[form] != end) // nearly every form of nearly every line
            continue;
        if (RankTag tag = tagOfForm(kForms[form], line); tag.length > 0) {
            tag.length += begin; // a launcher may pad ranks to one width
            return tag;
        }
    }
    return {stamp};
}

std::string namedTag(int number)
{
    return fmt::format("[named {}] ", number);
}

PodTag podTag(std::string_view line)
{
    constexpr std::string_view kHead = "[pod/";
    if (!line.starts_with(kHead))
        return taskTag(line);
    const std::size_t pod = wordOf(line.substr(kHead.size())).size(), slash = kHead.size() + pod;
    if (pod == 0 || slash >= line.size() || line[slash] != '/')
        return {};
    const std::size_t container = wordOf(line.substr(slash + 1)).size(), end = slash + 1 + container;
    const bool isTag = container > 0 && line.substr(end).starts_with("] ");
    return isTag ? PodTag{end + 2, line.substr(kHead.size(), end - kHead.size())} : PodTag{};
}

std::size_t tagsLength(std::string_view line)
{
    const std::size_t pod = podTag(line).length;
    return pod + rankTag(line.substr(pod)).length;
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
