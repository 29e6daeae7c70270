// SPDX-License-Identifier: MIT
#include "core/logs/nametags.h"

#include "core/base/sequences.h"
#include "core/logs/content.h"
#include "core/logs/ranktag.h"
#include "core/logs/sources.h"
#include "core/logs/stamp.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace ringside::logs {

namespace {

/// Lines before which nothing is decided, and those and their bytes after which there are no such tags.
constexpr std::size_t kLeastLines = 64, kMostLines = 4'096, kMostBytes = 4u << 20;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The characters of names of hosts and pods at the front of the text.
std::string_view wordOf(std::string_view text)
{
    constexpr std::size_t kLongest = 253; // of a name in DNS
    std::size_t length = 0;
    while (length < std::min(text.size(), kLongest) &&
           (isDigit(text[length]) || isLetter(text[length]) || text[length] == '.' || text[length] == '-' ||
            text[length] == '_'))
        ++length;
    return text.substr(0, length);
}

/// "[pod/NAME/CONTAINER] ".
NameTag podTag(std::string_view line)
{
    constexpr std::string_view kHead = "[pod/";
    if (!line.starts_with(kHead))
        return {};
    const std::size_t pod = wordOf(line.substr(kHead.size())).size(), slash = kHead.size() + pod;
    if (pod == 0 || slash >= line.size() || line[slash] != '/')
        return {};
    const std::size_t container = wordOf(line.substr(slash + 1)).size(), end = slash + 1 + container;
    const bool isTag = container > 0 && line.substr(end).starts_with("] ");
    return isTag ? NameTag{end + 2, line.substr(kHead.size(), end - kHead.size())} : NameTag{};
}

/// Words without a digit are fields ("Epoch: 3") and levels, and digits alone are the ranks of a launcher.
bool mayBeHost(std::string_view word)
{
    const bool isAddress = std::ranges::count(word, '.') == 3;
    return std::ranges::any_of(word, isDigit) && (isAddress || std::ranges::any_of(word, isLetter));
}

/// "NAME: ", or "NAME:" before an empty line.
NameTag hostTag(std::string_view line)
{
    const std::string_view word = wordOf(line);
    const std::string_view rest = line.substr(word.size());
    if (!rest.starts_with(": ") && rest != ":")
        return {};
    return mayBeHost(word) ? NameTag{word.size() + std::min<std::size_t>(rest.size(), 2), word} : NameTag{};
}

/// A name with its numbers left out: hosts of one cluster are called alike.
std::string stemOf(std::string_view name)
{
    std::string stem;
    std::ranges::copy_if(name, std::back_inserter(stem), [](char c) { return !isDigit(c); });
    return stem;
}

bool isOfRecords(Meaning meaning)
{
    return meaning == Meaning::interval || meaning == Meaning::iteration || meaning == Meaning::mean ||
           meaning == Meaning::epoch;
}

} // namespace

NameTag nameTag(std::string_view line, NamedBy kind)
{
    return kind == NamedBy::kubectl ? podTag(line) : hostTag(line);
}

void NameSurvey::add(std::string_view line)
{
    if (line.find_first_not_of(" \t") == std::string_view::npos)
        return;
    ++m_lines;
    const NameTag tag = nameTag(line, m_kind);
    if (tag.length == 0)
        return;
    ++m_tagged;
    if (tag.name == m_last)
        return;
    m_last = tag.name;
    if (!m_seen.insert(m_last).second)
        m_returned.insert(m_last);
}

bool NameSurvey::isInNearlyAll() const
{
    return m_tagged > 0 && m_tagged * 20 >= m_lines * 19;
}

NameTags::NameTags(const LogFormat& format, LineSplitter::Sink sink)
    : m_format(format)
    , m_sink(std::move(sink))
    , m_isDecided(format.links.has_value()) // tables of links are printed by one process
{
    for (const LineForm& form : format.lines)
        if (form.pattern.has(Quantity::rank))
            m_ranked.push_back(&form.pattern);
}

void NameTags::read(std::uint64_t number, std::string_view line, bool isWhole)
{
    if (m_isDecided)
        return pass(number, line, isWhole);
    m_held.push_back({number, std::string(line), isWhole});
    m_heldBytes += line.size();
    m_pods.add(line);
    m_hosts.add(line);
    if (mayDecide())
        decide();
}

void NameTags::finish()
{
    if (!m_isDecided)
        decide();
}

/// Where hosts have tags, but no record has come so far, more lines are looked at: each time twice as many.
bool NameTags::mayDecide() const
{
    const std::size_t lines = m_held.size();
    if (lines >= kMostLines || m_heldBytes >= kMostBytes)
        return true;
    if (lines < kLeastLines || !std::has_single_bit(lines))
        return false;
    return !m_hosts.isInNearlyAll() || found();
}

std::optional<NamedBy> NameTags::found() const
{
    if (m_pods.isInNearlyAll())
        return NamedBy::kubectl;
    return m_hosts.isInNearlyAll() && areHosts() ? std::optional(NamedBy::host) : std::nullopt;
}

/// Returns whether two names that are called alike stand before records of the form, and both come again.
bool NameTags::areHosts() const
{
    std::map<std::string, std::set<std::string_view>> byStem;
    for (const Held& held : m_held) {
        const NameTag tag = nameTag(held.line, NamedBy::host);
        if (tag.length == 0 || !m_hosts.returned().contains(tag.name))
            continue;
        auto& alike = byStem[stemOf(tag.name)];
        if (alike.contains(tag.name) || !isRecord(std::string_view(held.line).substr(tag.length)))
            continue;
        alike.insert(tag.name);
        if (alike.size() > 1)
            return true;
    }
    return false;
}

bool NameTags::isRecord(std::string_view text) const
{
    takeRankTag(text);
    return std::ranges::any_of(
        m_format.lines, [&](const LineForm& form) { return isOfRecords(form.meaning) && form.pattern.fits(text); });
}

void NameTags::decide()
{
    m_kind = found();
    m_isDecided = true;
    for (const Held& held : std::exchange(m_held, {}))
        pass(held.number, held.line, held.isWhole);
}

void NameTags::pass(std::uint64_t number, std::string_view line, bool isWhole)
{
    const NameTag tag = m_kind ? nameTag(line, *m_kind) : NameTag{};
    m_sink(number, tag.length > 0 ? counted(tag.name, line.substr(tag.length)) : line, isWhole);
}

/// A stamp behind the name (kubectl --timestamps) stays in front, as launchers write it. A line that names its own rank
/// has no need of another one.
std::string_view NameTags::counted(std::string_view name, std::string_view text)
{
    const auto fits = [&](const LinePattern* pattern) { return pattern->fits(text); };
    if (std::ranges::any_of(m_ranked, fits))
        return text;
    const RankTag behind = rankTag(text);
    m_line = text.substr(0, foreignStamp(text));
    m_line += fmt::format("[{}] ", numberOf(name, behind.rank.value_or(-1)));
    m_line += text.substr(behind.length);
    return m_line;
}

/// Behind kMostRanks of them all have one number, and the reader says that they are too many.
int NameTags::numberOf(std::string_view name, int rank)
{
    Process process{name, rank};
    if (const auto known = m_numbers.find(process); known != m_numbers.end())
        return known->second;
    const auto number = static_cast<int>(std::min(m_numbers.size(), kMostRanks));
    if (m_numbers.size() < kMostRanks)
        m_numbers.emplace(std::move(process), number);
    return number;
}

namespace {

using Process = std::pair<std::string, int>;

/// Numbers in names count as such where names are equally long: node2 before node10.
bool isBefore(const Process* one, const Process* other)
{
    const auto key = [](const Process* process) {
        return std::tuple(process->first.size(), std::string_view(process->first), process->second);
    };
    return key(one) < key(other);
}

std::map<const Process*, std::optional<int>> ranksOf(std::vector<const Process*> processes)
{
    std::ranges::sort(processes, isBefore);
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    std::set<int> told;
    for (const Process* process : processes)
        told.insert(process->second);
    const bool areTold = !told.contains(-1) && told.size() == processes.size();
    std::map<const Process*, std::optional<int>> ranks;
    for (std::size_t place = 0; place < processes.size(); ++place)
        if (areTold)
            ranks[processes[place]] = processes[place]->second;
        else if (processes.size() > 1)
            ranks[processes[place]] = static_cast<int>(place);
        else
            ranks[processes[place]] = std::nullopt;
    return ranks;
}

} // namespace

void NameTags::nameRanks(LogContent& content) const
{
    std::vector<const Process*> processes(m_numbers.size()), used;
    for (const auto& [process, number] : m_numbers)
        processes[static_cast<std::size_t>(number)] = &process;
    std::vector<std::pair<LogLane*, const Process*>> lanes;
    for (LogRun& run : content.runs)
        for (LogLane& lane : run.lanes)
            if (lane.rank && static_cast<std::size_t>(*lane.rank) < processes.size())
                lanes.emplace_back(&lane, processes[static_cast<std::size_t>(*lane.rank)]);
    for (const auto& [lane, process] : lanes)
        used.push_back(process);
    const auto ranks = ranksOf(std::move(used));
    for (const auto& [lane, process] : lanes)
        lane->rank = ranks.at(process);
}

} // namespace ringside::logs
