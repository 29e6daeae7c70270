// SPDX-License-Identifier: MIT
// The part of LogReader that finds the process and the run that a line is of.
#include "core/logs/namenumbers.h"
#include "core/logs/reader.h"

#include <algorithm>

namespace ringside::logs {

/// The first that has not come so far yet: ranks without tags are paired by the order of their lines.
Source* LogReader::untaggedSource(const Line& line)
{
    Source* behind = nullptr;
    for (Source& source : m_sources.untagged(line.rank)) {
        if (source.scope != line.form->scope)
            continue;
        const auto place = m_ahead.placeIn(source, line.values);
        if (!place || place > source.place)
            return &source;
        if (!behind || source.run < behind->run)
            behind = &source;
    }
    return behind && !mayBeAnother(line) ? behind : nullptr;
}

/// Returns whether a line that fits behind no source is the first of another process, rather than the first of another
/// run. Processes begin together, so those that are known have just begun, or each of their records came twice so far;
/// and they train with the same batch.
bool LogReader::mayBeAnother(const Line& line)
{
    if (statesAnother(m_content.runs.front().stated, line.stated))
        return false;
    std::size_t sources = 0;
    bool isYoung = true;
    for (const Source& source : m_sources.untagged(line.rank)) {
        if (source.scope != line.form->scope)
            continue;
        ++sources;
        const bool isSecond =
            source.repeated + 1 == source.placed && m_ahead.placeIn(source, line.values) == source.place;
        isYoung &= source.run == 0 && (source.placed <= kMostDrift || isSecond);
    }
    const auto& ranks = m_content.runs.back().settings.ranks;
    return isYoung && !(ranks && sources >= static_cast<std::size_t>(*ranks));
}

Source* LogReader::addSource(const Line& line)
{
    const bool isSecond = !isOneProcess(line.rank) &&
                          std::ranges::any_of(m_sources.untagged(line.rank),
                                              [&](const Source& other) { return other.scope == line.form->scope; });
    Source* added = m_sources.add(line.rank, line.form->scope);
    if (!added)
        note({FindingCode::tooManyRanks}, line.number);
    else if (isSecond)
        note({FindingCode::linesOfTwoRanks}, line.number);
    return added;
}

/// Null where there are too many of them, or it has come to too many runs.
Source* LogReader::sourceOf(Line& line)
{
    Source* source = isOneProcess(line.rank) ? m_sources.tagged(*line.rank, line.form->scope) : untaggedSource(line);
    if (!source)
        source = addSource(line);
    if (!source)
        return nullptr;
    line.place = m_ahead.placeIn(*source, line.values);
    if (line.place && line.place <= source->place) {
        const bool isMixed = !line.isBehindHeader && source->returnsToEarlier(*line.place);
        if (line.isBehindHeader)
            source->noteRestart();
        m_sources.moveOn(*source);
        if (isMixed)
            noteMixed(FindingCode::mixedProcesses, line.number, *source, kRunsOfReturns);
        line.place = m_ahead.placeIn(*source, line.values);
    }
    if (source->run < kMostRuns)
        return source;
    note({FindingCode::tooManyRuns}, line.number);
    return nullptr;
}

/// Returns whether no process that is known can have printed the line next in its run.
bool LogReader::isBehindOne(const Line& line)
{
    bool any = false;
    for (const Source& source : m_sources.untagged(line.rank)) {
        if (source.scope != line.form->scope || !source.place)
            continue;
        any = true;
        const auto place = m_ahead.placeIn(source, line.values);
        if (!place || place > source.place)
            return false;
    }
    return any && !mayBeAnother(line);
}

/// Python writes blocks into a pipe or a file, so ranks without tags may alternate by hundreds of lines: then the
/// numbers of one seem to go back, which is another run's beginning, and later go on where they had left.
void LogReader::noteMixed(FindingCode code, std::uint64_t line, Source& source, std::size_t runsBefore)
{
    source.isMixed = true;
    for (std::size_t back = 1; back <= std::min(runsBefore, source.run); ++back)
        m_content.runs[source.run - back].isMixed = true;
    note({code}, line);
}

} // namespace ringside::logs
