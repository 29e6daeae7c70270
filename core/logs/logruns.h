// SPDX-License-Identifier: MIT
// The runs of a log as they are read: their records, the settings that their lines state, and what was found. Pure.
// Internal to core/logs.
#pragma once

#include "core/logs/ahead.h"
#include "core/logs/knownline.h"
#include "core/logs/sources.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::logs {

/// A record and the process that it is of.
struct RecordOf
{
    Scope scope;
    std::optional<int> rank;
    LogRecord record;
    std::vector<PhaseTime> phases; ///< of the record
};

class LogRuns
{
public:
    /// `given` holds what the user says of the log, where the log does not.
    explicit LogRuns(const LogSettings& given)
        : m_given(given)
    {
    }

    const std::vector<LogRun>& all() const { return m_runs; }
    /// The run of this number, which the line is of; those up to it that are new begin at `first`.
    LogRun& at(std::size_t index, std::uint64_t line, std::uint64_t first);
    /// The lane of a source that has one.
    LogLane& laneOf(const Source& source) { return m_runs[source.run].lanes[*source.lane]; }

    /// Adds the settings that a line of this run states, to those that lines of its name state (namenumbers.h).
    void noteStated(LogRun& run, const KnownLine& line);
    /// Adds to the last run what lines say behind the last record, or those of ranks that print none.
    void addLeft(Noted left);
    /// The lines of the source are several processes', in its run and in so many before it.
    void noteMixed(FindingCode code, std::uint64_t line, Source& source, std::size_t runsBefore);
    void note(const Finding& finding, std::uint64_t line) { addFinding(m_findings, finding, line); }

    /// As LogReader::takeRecords(). What its runs claim is forgotten, too.
    std::vector<RecordOf> takeRecords(bool isAll);
    /// Runs, and records that were not taken.
    std::uint64_t held() const;
    /// The line of the first record that was not taken.
    std::optional<std::uint64_t> firstHeld() const;
    /// Returns the runs and the findings, once no line will follow. Call it once.
    LogContent finish(int warmupRecords);

private:
    LogSettings m_given;
    std::vector<LogRun> m_runs;
    std::vector<Finding> m_findings;
};

} // namespace ringside::logs
