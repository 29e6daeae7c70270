// SPDX-License-Identifier: MIT
#include "core/logs/processes.h"

#include "core/logs/hooks.h"
#include "core/logs/linerecords.h"
#include "core/logs/namenumbers.h"
#include "core/logs/statedbatches.h"

#include <algorithm>
#include <functional>

namespace ringside::logs {

void Processes::beginRun(std::optional<int> rank, bool isAnnounced)
{
    m_sources.begin(rank, isAnnounced);
    m_ahead.forgetEpochs(rank);
}

bool Processes::noteContext(const KnownLine& line, std::uint64_t header)
{
    if (m_ahead.goesBack(line.rank, line.values))
        beginRun(line.rank, false);
    return m_ahead.note(line.rank, {line.values, line.stated, line.number}, header);
}

void Processes::complete(KnownLine& line, LogRuns& runs)
{
    const auto isPossible = [&](const LineValues& tried) {
        return isOneProcess(line.rank) || !isBehindOne({line.number, line.rank, line.stamp, tried, line.form}, runs);
    };
    // By reference: std::function would allocate memory for each line.
    const auto completed = m_ahead.complete(line, std::cref(isPossible));
    line.isBehindHeader = completed.isBehindHeader;
    if (completed.lost)
        runs.note({FindingCode::epochsMissing, 0, static_cast<double>(*completed.lost)}, line.number);
}

bool Processes::isEvaluation(const KnownLine& line) const
{
    return line.form->meaning == Meaning::epoch && m_ahead.epoch(line.rank) && !line.values.has(Quantity::epoch);
}

/// The first source of the line's process, or of those that only order separates, of which this is true.
template <class Is> Source* Processes::sourceThat(const KnownLine& line, Is is)
{
    if (isOneProcess(line.rank)) {
        Source* source = m_sources.tagged(*line.rank, line.form->scope);
        return source && is(*source) ? source : nullptr;
    }
    auto& untagged = m_sources.untagged(line.rank);
    const auto found = std::ranges::find_if(untagged, is);
    return found == untagged.end() ? nullptr : &*found;
}

bool Processes::isSame(const KnownLine& line, const Source& source) const
{
    if (source.scope != line.form->scope || !source.lane || !source.place ||
        source.form->meaning != line.form->meaning || m_ahead.placeIn(source, line.values) != source.place)
        return false;
    const bool isOther = source.form != line.form && line.form->meaning != Meaning::mean;
    return source.last.repeats(line.values) || (isOther && !source.last.overlaps(line.values)) ||
           isDrawnAgain(line, source);
}

/// Returns whether a line that repeats the last one of this source is another rank's. Ranks of a job print the same
/// loss, and often the same rate. One that has not come so far is next, unless the process prints a line for each of
/// its metrics; one that is not known yet prints the same words.
bool Processes::isAnothers(const KnownLine& line, const Source& source, const LogRuns& runs)
{
    if (line.form != source.form || line.form->scope != Scope::rank || line.form->meaning == Meaning::epoch)
        return false;
    const bool isEqual = line.text == source.text;
    return isNextOfAny(line) ? isEqual || !source.printsSeveral : isEqual && mayBeAnother(line, runs);
}

/// Returns whether a process that is known in this run has not come so far.
bool Processes::isNextOfAny(const KnownLine& line)
{
    return std::ranges::any_of(m_sources.untagged(line.rank), [&](const Source& source) {
        return source.scope == line.form->scope && source.lane && m_ahead.placeIn(source, line.values) > source.place;
    });
}

Source* Processes::sameSource(const KnownLine& line, const LogRuns& runs)
{
    Source* source = sourceThat(line, [&](const Source& each) { return isSame(line, each); });
    return source && !isOneProcess(line.rank) && isAnothers(line, *source, runs) ? nullptr : source;
}

Source* Processes::plainSource(const KnownLine& line)
{
    return sourceThat(line, [&](const Source& source) {
        return endsPlainRecords(line, m_ahead.placeIn(source, line.values), source);
    });
}

Source* Processes::sourceBeside(const KnownLine& line)
{
    std::optional<Place> place;
    Source* source = sourceThat(line, [&](const Source& each) {
        place = m_ahead.placeIn(each, line.values);
        return isBesideRecords(line, place, each);
    });
    if (source)
        source->plain = place;
    return source;
}

/// The first that has not come so far yet: ranks without tags are paired by the order of their lines.
Source* Processes::untaggedSource(const KnownLine& line, const LogRuns& runs)
{
    Source* behind = nullptr;
    for (Source& source : m_sources.untagged(line.rank)) {
        if (source.scope != line.form->scope)
            continue;
        m_sources.catchUp(source);
        const auto place = m_ahead.placeIn(source, line.values);
        if (!place || place > source.place)
            return &source;
        if (!behind || source.run < behind->run)
            behind = &source;
    }
    return behind && !mayBeAnother(line, runs) ? behind : nullptr;
}

/// Returns whether a line that fits behind no source is the first of another process, rather than the first of another
/// run. Processes begin together, so those that are known have just begun, or each of their records came twice so far;
/// and they train with the same batch.
bool Processes::mayBeAnother(const KnownLine& line, const LogRuns& runs)
{
    if (statesAnother(runs.all().front().stated, line.stated))
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
    const auto& most = runs.all().back().settings.ranks;
    return isYoung && !(most && sources >= static_cast<std::size_t>(*most));
}

Source* Processes::addSource(const KnownLine& line, LogRuns& runs)
{
    const bool isSecond = !isOneProcess(line.rank) &&
                          std::ranges::any_of(m_sources.untagged(line.rank),
                                              [&](const Source& other) { return other.scope == line.form->scope; });
    Source* added = m_sources.add(line.rank, line.form->scope);
    if (!added)
        runs.note({FindingCode::tooManyRanks}, line.number);
    else if (isSecond)
        runs.note({FindingCode::linesOfTwoRanks}, line.number);
    return added;
}

Source* Processes::sourceOf(KnownLine& line, LogRuns& runs)
{
    Source* source =
        isOneProcess(line.rank) ? m_sources.tagged(*line.rank, line.form->scope) : untaggedSource(line, runs);
    if (!source)
        source = addSource(line, runs);
    if (!source)
        return nullptr;
    line.place = m_ahead.placeIn(*source, line.values);
    if (line.place && line.place <= source->place) {
        const bool isMixed = !line.isBehindHeader && source->returnsToEarlier(*line.place);
        if (line.isBehindHeader)
            source->noteRestart();
        m_sources.moveOn(*source);
        if (isMixed)
            runs.noteMixed(FindingCode::mixedProcesses, line.number, *source, kRunsOfReturns);
        line.place = m_ahead.placeIn(*source, line.values);
    }
    if (source->run < kMostRuns)
        return source;
    runs.note({FindingCode::tooManyRuns}, line.number);
    return nullptr;
}

/// Returns whether no process that is known can have printed the line next in its run.
bool Processes::isBehindOne(const KnownLine& line, const LogRuns& runs)
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
    return any && !mayBeAnother(line, runs);
}

} // namespace ringside::logs
