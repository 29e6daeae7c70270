// SPDX-License-Identifier: MIT
#include "core/logs/logruns.h"

#include "core/logs/gaps.h"
#include "core/logs/goneon.h"
#include "core/logs/namenumbers.h"
#include "core/logs/stampedrate.h"
#include "core/logs/statedbatches.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ringside::logs {

LogRun& LogRuns::at(std::size_t index, std::uint64_t line, std::uint64_t first)
{
    while (m_runs.size() <= index)
        m_runs.push_back({.firstLine = first, .lastLine = line, .settings = m_given, .lanes = {}, .claims = {}});
    m_runs[index].lastLine = std::max(m_runs[index].lastLine, line);
    return m_runs[index];
}

/// Names may be one behind the other, and no run of one: what contradicts another name's is found when their runs are
/// known (nametags.h).
void LogRuns::noteStated(LogRun& run, const KnownLine& line)
{
    const LogSettings before = run.settings;
    Statements& known = run.statements[nameOf(line.rank)];
    Statements stated{.batches = line.stated, .ranksLine = line.ranksLine > 0 ? line.ranksLine : line.number};
    noteSettings(stated.settings, line.values);
    const auto isOwn = [&](std::size_t batch) { return line.stated[batch].line == 0; }; // a record's may change
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (const auto setting = kBatches[batch].setting; isOwn(batch) && known.settings.*setting)
            stated.settings.*setting = known.settings.*setting;
    for (const Finding& finding : addStatements(known, stated, m_given))
        note(finding, finding.line);
    noteSettings(run.settings, stated.settings);
    if (stated.settings.ranks)
        run.settings.ranks = known.settings.ranks;
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (const auto setting = kBatches[batch].setting;
            isOwn(batch) && before.*setting && before.*setting != m_given.*setting)
            run.settings.*setting = before.*setting;
    addStated(run.settings, run.stated, stated.batches, m_given);
}

/// Another batch than the run's is that of a run that has printed no record yet, or of an evaluation.
void LogRuns::addLeft(Noted left)
{
    LogRun& run = m_runs.back();
    for (std::size_t batch = 0; batch < kBatches.size(); ++batch)
        if (run.stated[batch].line != 0)
            left.dropBatch(batch);
    noteSettings(run.settings, left.values);
    Statements& known = run.statements[{}];
    noteSettings(known.settings, left.values);
    if (left.values.has(Quantity::ranks))
        known.ranksLine = left.ranksLine;
    if (const auto differs = addStated(run.settings, run.stated, left.stated, m_given))
        note(*differs, differs->line);
}

/// Python writes blocks into a pipe or a file, so ranks without tags may alternate by hundreds of lines: then the
/// numbers of one seem to go back, which is another run's beginning, and later go on where they had left.
void LogRuns::noteMixed(FindingCode code, std::uint64_t line, Source& source, std::size_t runsBefore)
{
    source.isMixed = true;
    for (std::size_t back = 1; back <= std::min(runsBefore, source.run); ++back)
        m_runs[source.run - back].isMixed = true;
    note({code}, line);
}

std::vector<RecordOf> LogRuns::takeRecords(bool isAll)
{
    std::vector<RecordOf> taken;
    taken.reserve(held());
    for (LogRun& run : m_runs) {
        run.claims.clear();
        for (LogLane& lane : run.lanes) {
            lane.epochs.clear();
            const auto end = lane.records.empty() || isAll ? lane.records.end() : lane.records.end() - 1;
            for (auto record = lane.records.begin(); record != end; ++record) {
                const auto phases = lane.phasesOf(*record);
                taken.push_back({lane.scope, lane.rank, *record, {phases.begin(), phases.end()}});
            }
            lane.records.erase(lane.records.begin(), end);
            const auto held = lane.records.empty() ? std::span<const PhaseTime>() : lane.phasesOf(lane.records.front());
            lane.phases = {held.begin(), held.end()};
            for (LogRecord& record : lane.records)
                record.firstPhase = 0;
        }
    }
    const auto lineOf = [](const RecordOf& each) { return each.record.line; };
    if (!std::ranges::is_sorted(taken, {}, lineOf)) // one lane's records are, and most logs have one
        std::ranges::stable_sort(taken, {}, lineOf);
    return taken;
}

std::uint64_t LogRuns::held() const
{
    std::uint64_t held = m_runs.size();
    for (const LogRun& run : m_runs)
        for (const LogLane& lane : run.lanes)
            held += lane.records.size();
    return held;
}

std::optional<std::uint64_t> LogRuns::firstHeld() const
{
    std::optional<std::uint64_t> first;
    for (const LogRun& run : m_runs)
        for (const LogLane& lane : run.lanes)
            if (!lane.records.empty())
                first = std::min(first.value_or(lane.records.front().line), lane.records.front().line);
    return first;
}

LogContent LogRuns::finish(int warmupRecords)
{
    for (LogRun& run : m_runs) {
        if (run.isMixed)
            refuseAll(run);
        leaveOutEarlier(run, m_findings);
        for (LogLane& lane : run.lanes)
            refuseAgainstStamps(lane, run.settings, warmupRecords, m_findings);
        if (!run.isMixed)
            addGaps(run, m_findings);
    }
    std::erase_if(m_runs, [](const LogRun& run) { return run.lanes.empty() && run.claims.empty(); });
    LogContent content;
    content.runs = std::move(m_runs);
    content.findings = std::move(m_findings);
    return content;
}

} // namespace ringside::logs
