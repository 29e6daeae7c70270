// SPDX-License-Identifier: MIT
#include "core/logs/nametags.h"

#include "core/logs/namenumbers.h"
#include "core/logs/ranktag.h"
#include "core/logs/stamp.h"
#include "core/logs/statedbatches.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace ringside::logs {

namespace {

/// The share of the shorter one's time for which two tries of a pod may run together, while the earlier one ends.
constexpr double kMostOfTries = 0.1;

bool isOfRecords(Meaning meaning)
{
    return meaning == Meaning::interval || meaning == Meaning::iteration || meaning == Meaning::mean ||
           meaning == Meaning::epoch;
}

/// Returns whether each lane of a name has a rank behind it, and no two processes have the same.
bool haveOwnRanks(const LogRun& run)
{
    std::map<int, std::optional<int>> names;
    return std::ranges::all_of(run.lanes, [&](const LogLane& lane) {
        const auto process = namedProcess(lane.rank);
        const auto rank = process ? process->rank : lane.rank;
        const auto name = process ? std::optional(process->name) : std::nullopt;
        return rank ? names.try_emplace(*rank, name).first->second == name : !process;
    });
}

std::uint64_t firstLine(const LogLane& lane)
{
    return (lane.records.empty() ? lane.epochs : lane.records).front().line;
}

std::uint64_t lastLine(const LogLane& lane)
{
    return (lane.records.empty() ? lane.epochs : lane.records).back().line;
}

} // namespace

void NameTags::Span::add(double at)
{
    first = std::min(first, at);
    last = std::max(last, at);
}

NameTags::NameTags(const LogFormat& format, LineSplitter::Sink sink, LogSettings given)
    : m_format(format)
    , m_sink(std::move(sink))
    , m_given(given)
{
}

void NameTags::read(std::uint64_t number, std::string_view line, bool isWhole)
{
    const PodTag tag = podTag(line);
    line.remove_prefix(tag.length);
    if (tag.length == 0 || m_format.links) // tables of links are printed by one process
        return m_sink(number, line, isWhole);
    if (Name* name = named(tag.name))
        return passNamed(*name, number, line, isWhole);
    skip(number);
}

/// A stamp behind the name (kubectl --timestamps) stays in front, as launchers write it. Where a name's records have
/// ranks, a line without one is of all of them.
void NameTags::passNamed(Name& name, std::uint64_t number, std::string_view text, bool isWhole)
{
    const std::string_view stamp = text.substr(0, foreignStamp(text));
    const auto rank = rankIn(text);
    if (rank >= kRanksOfName)
        return skip(number);
    const auto at = findStamp(stamp);
    const auto add = [&](Times& times) {
        times.lines.add(static_cast<double>(number));
        if (at && at->period == 0)
            times.stamps.add(at->seconds);
    };
    add(name.all);
    if (isRecord(text)) {
        name.hasRanks |= rank.has_value();
        add(name.records);
    }
    if (!rank && name.hasRanks)
        return m_sink(number, text, isWhole);
    const int place = static_cast<int>(&name - m_names.data());
    m_line = stamp;
    m_line += namedTag(namedNumber(place, rank ? std::optional(static_cast<int>(*rank)) : std::nullopt));
    m_line += text.substr(rankTag(text).length);
    m_sink(number, m_line, isWhole);
}

NameTags::Name* NameTags::named(std::string_view text)
{
    if (const auto known = m_numbers.find(text); known != m_numbers.end())
        return &m_names[static_cast<std::size_t>(known->second)];
    if (m_names.size() >= kMostNames)
        return nullptr;
    m_numbers.emplace(text, static_cast<int>(m_names.size()));
    return &m_names.emplace_back(Name{std::string(text)});
}

/// By a launcher's tag, or as the line says.
std::optional<std::int64_t> NameTags::rankIn(std::string_view text) const
{
    if (const auto rank = takeRankTag(text))
        return rank;
    LineValues values;
    for (const LineForm& form : m_format.lines)
        if (form.pattern.has(Quantity::rank) && form.pattern.match(text, values))
            if (const auto rank = values.whole(Quantity::rank); rank && *rank >= 0)
                return rank;
    return std::nullopt;
}

bool NameTags::isRecord(std::string_view text) const
{
    takeRankTag(text);
    return std::ranges::any_of(
        m_format.lines, [&](const LineForm& form) { return isOfRecords(form.meaning) && form.pattern.fits(text); });
}

void NameTags::skip(std::uint64_t number)
{
    if (!m_tooMany)
        m_tooMany = Finding{.code = FindingCode::tooManyRanks, .line = number, .count = 0};
    ++m_tooMany->count;
}

void NameTags::nameRanks(LogContent& content) const
{
    if (m_tooMany)
        content.findings.push_back(*m_tooMany);
    if (m_names.empty())
        return;
    std::vector<LogRun> runs;
    for (LogRun& run : content.runs) {
        auto parts = parted(std::move(run));
        if (parts.size() > 1)
            addFinding(content.findings, {FindingCode::podsInTurn}, parts[1].firstLine);
        for (LogRun& part : parts)
            noteStatements(part, parts.size() > 1, content.findings);
        std::ranges::move(parts, std::back_inserter(runs));
    }
    std::ranges::stable_sort(runs, {}, &LogRun::firstLine);
    for (LogRun& run : runs)
        nameRanks(run, content.findings);
    content.runs = std::move(runs);
}

/// Null: it has none.
const NameTags::Name* NameTags::nameFor(std::optional<int> number) const
{
    const auto process = namedProcess(number);
    return process && process->name < std::ssize(m_names) ? &m_names[static_cast<std::size_t>(process->name)] : nullptr;
}

/// Returns those of the names whose records the run has, from its first record to its last one, or from its first line
/// where one of them has a single record; by stamps, if all have some, since kubectl may print one pod
/// after another.
std::map<const NameTags::Name*, NameTags::Span> NameTags::spansIn(const LogRun& run) const
{
    std::map<const Name*, Span> spans;
    for (const LogLane& lane : run.lanes)
        if (const Name* name = nameFor(lane.rank))
            spans[name] = {};
    const auto all = [&](auto is) {
        return std::ranges::all_of(spans, [&](const auto& each) { return is(*each.first); });
    };
    const bool haveSeveral = all([](const Name& name) { return name.records.lines.length() > 0; });
    const auto timesOf = [&](const Name& name) { return haveSeveral ? name.records : name.all; };
    const bool areStamped = all([&](const Name& name) { return timesOf(name).stamps.length() >= 0; });
    for (auto& [name, span] : spans)
        span = areStamped ? timesOf(*name).stamps : timesOf(*name).lines;
    return spans;
}

/// Numbers the names; those that begin when all before them have ended, or end soon, are other tries, and no ranks
/// beside these.
std::map<const NameTags::Name*, std::size_t> NameTags::partsIn(const LogRun& run) const
{
    std::vector<std::pair<Span, const Name*>> inOrder;
    for (const auto& [name, span] : spansIn(run))
        inOrder.emplace_back(span, name);
    std::ranges::sort(inOrder, {}, [](const auto& each) { return each.first.first; });
    std::map<const Name*, std::size_t> parts;
    std::size_t part = 0;
    Span before;
    for (const auto& [span, name] : inOrder) {
        const double together = std::min(before.last, span.last) - span.first;
        if (!parts.empty() && together < kMostOfTries * std::min(before.length(), span.length())) {
            before = {};
            ++part;
        }
        before.add(span.first);
        before.add(span.last);
        parts[name] = part;
    }
    return parts;
}

std::vector<LogRun> NameTags::parted(LogRun run) const
{
    const auto partOf = partsIn(run);
    std::size_t count = 1;
    for (const auto& [name, part] : partOf)
        count = std::max(count, part + 1);
    if (count == 1 || haveOwnRanks(run))
        return {std::move(run)};
    auto lanes = std::exchange(run.lanes, {});
    std::vector<LogRun> parts(count, LogRun{.settings = m_given, .lanes = {}, .claims = {}, .isMixed = run.isMixed});
    for (const auto& [name, stated] : run.statements)
        if (const auto found = partOf.find(nameFor(name)); found != partOf.end())
            parts[found->second].statements.emplace(name, stated);
    for (LogLane& lane : lanes) {
        const auto found = partOf.find(nameFor(lane.rank));
        LogRun& part = parts[found == partOf.end() ? 0 : found->second];
        const bool isFirst = part.lanes.empty();
        part.firstLine = isFirst ? firstLine(lane) : std::min(part.firstLine, firstLine(lane));
        part.lastLine = isFirst ? lastLine(lane) : std::max(part.lastLine, lastLine(lane));
        part.lanes.push_back(std::move(lane));
    }
    for (const LogClaim& claim : run.claims) {
        const auto before = [&](const LogRun& part) { return part.firstLine <= claim.line; };
        const auto found = std::find_if(parts.rbegin(), parts.rend(), before);
        (found == parts.rend() ? parts.front() : *found).claims.push_back(claim);
    }
    return parts;
}

/// Adds up what its names state, in the order of lines, and reports where they contradict each other: what one of them
/// alone does is known. A run that is no part has its settings.
void NameTags::noteStatements(LogRun& run, bool isPart, std::vector<Finding>& findings) const
{
    std::vector<const Statements*> inOrder;
    for (const auto& [name, stated] : run.statements)
        inOrder.push_back(&stated);
    std::ranges::stable_sort(inOrder, {}, &Statements::ranksLine);
    Statements all;
    for (const Statements* stated : inOrder) {
        const bool isUnclear = std::ranges::any_of(stated->batches, &StatedBatch::isUnclear);
        for (const Finding& finding : addStatements(all, *stated, m_given))
            if (!isUnclear || finding.code != FindingCode::batchUnclear)
                addFinding(findings, finding, finding.line);
    }
    if (!isPart) {
        if (all.settings.ranks) // the later number, as the finding says; its records may stand before the others'
            run.settings.ranks = all.settings.ranks;
        return;
    }
    noteSettings(run.settings, all.settings);
    run.stated = all.batches;
}

bool NameTags::haveOneLaneEach(const LogRun& run) const
{
    std::set<std::pair<int, Scope>> processes;
    return std::ranges::all_of(run.lanes, [&](const LogLane& lane) {
        return nameFor(lane.rank) && processes.emplace(*lane.rank, lane.scope).second;
    });
}

/// Returns whether its names ran together for at least half of the longest one's time.
bool NameTags::areSideBySide(const LogRun& run) const
{
    constexpr double kEver = std::numeric_limits<double>::infinity();
    double begin = -kEver, end = kEver, longest = 0;
    for (const auto& [name, span] : spansIn(run)) {
        begin = std::max(begin, span.first);
        end = std::min(end, span.last);
        longest = std::max(longest, span.length());
    }
    return 2 * (end - begin) >= longest;
}

/// Numbers in names count as such where names are equally long: node2 before node10.
void NameTags::nameRanks(LogRun& run, std::vector<Finding>& findings) const
{
    using Key = std::tuple<std::size_t, std::string_view, std::optional<int>>;
    std::map<Key, int> places;
    const auto keyOf = [](const Name& name, const LogLane& lane) {
        return Key(name.text.size(), name.text, namedProcess(lane.rank)->rank);
    };
    for (const LogLane& lane : run.lanes)
        if (const Name* name = nameFor(lane.rank))
            places[keyOf(*name, lane)] = 0;
    int place = 0;
    for (auto& [process, its] : places)
        its = place++;
    const bool areOwn = haveOwnRanks(run);
    const bool mayBePlaces = !areOwn && places.size() > 1 && haveOneLaneEach(run);
    const bool arePlaces = mayBePlaces && areSideBySide(run);
    const auto code = arePlaces ? FindingCode::podsAsRanks : FindingCode::podsUnclear;
    if (arePlaces || (mayBePlaces && !run.settings.ranks))
        addFinding(findings,
                   {code, 0, static_cast<double>(places.size()), static_cast<double>(run.settings.ranks.value_or(0))},
                   run.firstLine);
    for (LogLane& lane : run.lanes)
        if (const Name* name = nameFor(lane.rank))
            lane.rank = areOwn      ? namedProcess(lane.rank)->rank
                        : arePlaces ? std::optional(places[keyOf(*name, lane)])
                                    : std::nullopt;
}

} // namespace ringside::logs
