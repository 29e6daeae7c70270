// SPDX-License-Identifier: MIT
#include "core/logs/linkreader.h"

#include "core/logs/linkrow.h"
#include "core/logs/measure.h"
#include "core/logs/ranktag.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

constexpr std::size_t kMostHostBytes = 255;  // of a name in the DNS
constexpr double kHalfOfBusDigits = 0.005e9; // rows print bus bandwidths in hundredths of GB/s

bool isBetweenTwo(TableOf operation)
{
    return operation == TableOf::pingPong || operation == TableOf::stream;
}

/// The word behind `text`; empty where it is not there.
std::string wordBehind(std::string_view line, std::string_view text)
{
    const auto at = line.find(text);
    if (text.empty() || at == std::string_view::npos)
        return {};
    line.remove_prefix(at + text.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return std::string(line.substr(0, std::min(line.find_first_of(" \t"), kMostHostBytes)));
}

void take(std::optional<std::int64_t>& setting, const std::optional<std::int64_t>& told)
{
    if (told && *told > 0)
        setting = told;
}

const LinePattern* patternOf(const std::vector<LinePattern>& patterns, std::string_view line, LineValues& values)
{
    const auto found = std::find_if(patterns.begin(), patterns.end(),
                                    [&](const LinePattern& pattern) { return pattern.match(line, values); });
    return found == patterns.end() ? nullptr : &*found;
}

} // namespace

LinkReader::LinkReader(const LogFormat& format, LogSettings given)
    : m_format(format)
    , m_form(*format.links)
    , m_given(given)
{
    m_content.format = m_format.name;
}

bool LinkReader::read(std::uint64_t number, std::string_view line, bool isWhole)
{
    m_content.lines = number;
    const auto tag = takeRankTag(line);
    const bool isRow = looksLikeRow(line);
    LineValues values;
    const TableHead* head = isRow ? nullptr : headOf(line, values);
    Section* section = sectionOf(number, tag, head || (!isRow && mayBegin(line)));
    if (!section || (isRow && section->columns.empty()))
        return false;
    if (!isWhole) {
        if (isRow)
            note({FindingCode::cutLines}, number);
        return false;
    }
    if (isRow)
        takeRow(*section, line, number);
    else if (head)
        takeHead(*section, *head, values, number);
    else if (!takeRank(*section, line, number) && !takeTitles(*section, line, number) &&
             !takeSummary(*section, line, number))
        return false;
    ++m_content.linesRead;
    return true;
}

/// Besides heads.
bool LinkReader::mayBegin(std::string_view line) const
{
    return (m_form.rankLine && m_form.rankLine->fits(line)) ||
           std::any_of(m_form.titles.begin(), m_form.titles.end(),
                       [&](const LinePattern& titles) { return titles.fits(line); });
}

/// nullptr: the process has printed no line of a table, and this is none either.
LinkReader::Section* LinkReader::sectionOf(std::uint64_t number, std::optional<int> tag, bool begins)
{
    const int key = tag.value_or(-1);
    const auto known = m_sections.find(key);
    if (known != m_sections.end())
        return &known->second;
    if (begins && m_sections.size() >= kMostPrinters)
        note({FindingCode::tooManyRanks}, number);
    return begins && m_sections.size() < kMostPrinters ? &m_sections[key] : nullptr;
}

const TableHead* LinkReader::headOf(std::string_view line, LineValues& values) const
{
    const auto found = std::find_if(m_form.heads.begin(), m_form.heads.end(),
                                    [&](const TableHead& head) { return head.pattern.match(line, values); });
    return found == m_form.heads.end() ? nullptr : &*found;
}

void LinkReader::begin(Section& section, std::uint64_t number)
{
    close(section);
    m_ranksHeld -= section.ranks.size();
    const bool isForeign = section.isForeign;
    section = {};
    section.isForeign = isForeign;
    section.table.firstLine = number;
}

/// Titles behind rows, without a head: what the head said holds for these, too. Where it may have said nothing, there
/// is nothing to hold.
void LinkReader::beginAgain(Section& section, std::uint64_t number)
{
    const LinkTable before = {.operation = section.table.operation,
                              .memory = section.table.memory,
                              .backend = section.table.backend,
                              .ranks = section.table.ranks,
                              .nodes = section.table.nodes};
    begin(section, number);
    if (m_form.presumed != TableOf::untold)
        return;
    section.table = before;
    section.table.firstLine = number;
}

void LinkReader::takeHead(Section& section, const TableHead& head, const LineValues& values, std::uint64_t number)
{
    const bool names = head.operation != TableOf::untold;
    const bool isForgotten = names && section.table.operation != TableOf::untold && head.operation != TableOf::other;
    if (section.table.firstLine == 0 || !section.columns.empty() || isForgotten)
        begin(section, number);
    section.isForeign = head.isForeign.value_or(section.isForeign);
    if (names)
        section.table.operation = head.operation;
    if (head.memory)
        section.table.memory = *head.memory;
    if (!head.backend.empty())
        section.table.backend = head.backend;
    take(section.table.ranks, values.whole(Quantity::ranks));
    take(section.table.nodes, values.whole(Quantity::nodes));
}

bool LinkReader::takeRank(Section& section, std::string_view line, std::uint64_t number)
{
    LineValues values;
    if (!m_form.rankLine || !m_form.rankLine->match(line, values))
        return false;
    if (section.table.firstLine == 0 || !section.columns.empty())
        begin(section, number);
    ++section.rankLines;
    if (m_ranksHeld >= kMostTableRanks) {
        note({FindingCode::tooManyRanks}, number);
        return true;
    }
    if (section.ranks.insert(values.whole(Quantity::rank).value_or(-1)).second) {
        ++m_ranksHeld;
        section.hosts.insert(wordBehind(line, m_form.hostBehind));
    }
    return true;
}

/// Ranks from 0 on, each once. Copies of a program that do not know of each other all print a rank 0.
void LinkReader::countRanks(Section& section)
{
    if (section.rankLines == 0)
        return;
    const auto count = static_cast<std::int64_t>(section.ranks.size());
    if (section.rankLines != section.ranks.size() || *section.ranks.begin() != 0 ||
        *section.ranks.rbegin() != count - 1)
        return note({FindingCode::ranksUnclear}, section.table.firstLine);
    section.table.ranks = count;
    if (!section.hosts.contains(std::string()))
        section.table.nodes = static_cast<std::int64_t>(section.hosts.size());
}

bool LinkReader::takeTitles(Section& section, std::string_view line, std::uint64_t number)
{
    LineValues values;
    if (!patternOf(m_form.titles, line, values))
        return false;
    if (section.table.firstLine == 0)
        begin(section, number);
    else if (!section.columns.empty())
        beginAgain(section, number);
    section.columns = columnsOf(m_form, line);
    countRanks(section);
    if (isBetweenTwo(section.table.operation) && section.table.ranks.value_or(2) != 2)
        section.table.operation = TableOf::other; // several pairs at once
    return true;
}

std::optional<std::int64_t> LinkReader::ranksOf(const Section& section) const
{
    return section.table.ranks ? section.table.ranks : m_given.ranks;
}

void LinkReader::takeRow(Section& section, std::string_view line, std::uint64_t number)
{
    if (section.isForeign)
        return note({FindingCode::otherProgram}, number);
    const bool isPresumed = section.table.operation == TableOf::untold;
    const TableOf operation = isPresumed ? m_form.presumed : section.table.operation;
    if (operation == TableOf::untold)
        return note({FindingCode::operationUnclear}, number);
    if (operation == TableOf::other)
        return note({FindingCode::otherOperation}, number);
    const auto row = readRow(section.columns, line, ranksOf(section));
    if (row && row->isOther)
        return note({FindingCode::otherOperation}, number);
    section.isOfAllRows &= row.has_value();
    if (!row)
        return note({FindingCode::rowsUnread}, number);
    section.table.lastLine = number;
    section.table.places = row->places;
    section.table.isOfSlowest = row->isOfSlowest;
    ++section.table.rows;
    for (const double rate : row->busRates)
        section.busSum += rate;
    section.busRates += row->busRates.size();
    section.isProven |= row->provesAllReduce;
    if (row->finding) {
        ++section.table.refused;
        return note(*row->finding, number);
    }
    if (row->message.bytes > 0)
        keep(section, {number, row->message});
}

void LinkReader::keep(Section& section, LinkTime time)
{
    if (section.table.times.size() >= kMostTableRows)
        return note({FindingCode::tooManyRows}, time.line);
    section.table.times.push_back(time);
}

bool LinkReader::takeSummary(Section& section, std::string_view line, std::uint64_t number)
{
    LineValues values;
    if (!patternOf(m_form.summaries, line, values))
        return false;
    if (const auto wrong = values.whole(Quantity::wrongValues); wrong.value_or(0) > 0 && section.table.rows > 0)
        note({FindingCode::wrongResults, 0, static_cast<double>(*wrong), 0}, number);
    const auto mean = values.get(Quantity::busRate);
    if (!mean || section.busRates == 0 || !section.isOfAllRows)
        return true;
    const Printed ofRows{section.busSum / static_cast<double>(section.busRates), kHalfOfBusDigits};
    if (!agree(*mean, ofRows))
        note({FindingCode::meansDiffer, 0, mean->value, ofRows.value}, number);
    return true;
}

/// Drops a table whose operation no head names and no rate proves.
void LinkReader::close(Section& section)
{
    LinkTable& table = section.table;
    if (table.rows == 0)
        return;
    if (table.operation == TableOf::untold && !section.isProven && ranksOf(section)) {
        note({FindingCode::operationUnclear}, table.firstLine);
        return;
    }
    if (table.operation == TableOf::untold)
        table.operation = m_form.presumed;
    if (m_content.tables.size() >= kMostTables)
        return note({FindingCode::tooManyTables}, table.firstLine);
    m_content.tables.push_back(std::move(table));
}

LogContent LinkReader::finish()
{
    for (auto& [tag, section] : m_sections)
        close(section);
    std::stable_sort(m_content.tables.begin(), m_content.tables.end(),
                     [](const LinkTable& one, const LinkTable& other) { return one.firstLine < other.firstLine; });
    return std::move(m_content);
}

} // namespace ringside::logs
