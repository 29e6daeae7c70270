// SPDX-License-Identifier: MIT
// Finds the process and the run that a line is of, by the processes that have printed so far, and what their earlier
// lines said of the records that follow. Pure. Internal to core/logs.
#pragma once

#include "core/logs/ahead.h"
#include "core/logs/knownline.h"
#include "core/logs/logruns.h"
#include "core/logs/sources.h"

#include <cstdint>
#include <optional>

namespace ringside::logs {

/// Limit for one log, as kMostRecords (reader.h).
inline constexpr std::size_t kMostRuns = 65'536;
/// Processes whose lines have no tags may be so many records apart when the last of them begins to print; a number that
/// goes back later is another run's.
inline constexpr std::size_t kMostDrift = 2;

class Processes
{
public:
    /// Those of the rank that have printed begin another run.
    void beginRun(std::optional<int> rank, bool isAnnounced);
    /// Notes what a line of context says; one that announces an earlier epoch begins a run. `header` is the first line
    /// of its header. False: there are too many ranks, and the line is passed over.
    bool noteContext(const KnownLine& line, std::uint64_t header);
    void noteTest(std::optional<int> rank) { m_sources.noteTest(rank); }
    /// Adds to a record's line what was printed before and is not in the line itself.
    void complete(KnownLine& line, LogRuns& runs);
    /// Returns what no record has used, but of batches only those that were stated since this line.
    Noted left(std::uint64_t since) const { return m_ahead.left(since); }

    /// Returns whether a line looks like an epoch where epochs are announced, and was not.
    bool isEvaluation(const KnownLine& line) const;
    /// Returns the source whose last record the line is about, without a contradiction. Null: there is none, or another
    /// rank has printed the line.
    Source* sameSource(const KnownLine& line, const LogRuns& runs);
    /// Returns the source whose records so far are beside those that begin with this line (hooks.h). Null: there is
    /// none.
    Source* plainSource(const KnownLine& line);
    /// Returns the source to whose records the line only adds its loss, and notes its place there. Null: there is none.
    Source* sourceBeside(const KnownLine& line);
    /// Returns the source of a further record, in its run, and notes the line's place there. Null: there are too many
    /// of them, or it has come to too many runs. Findings go to `runs`, and so does that runs are mixed.
    Source* sourceOf(KnownLine& line, LogRuns& runs);
    /// The last run that the rank is in.
    std::size_t runOf(std::optional<int> rank) const { return m_sources.runOf(rank); }

    void setLane(Source& source, std::size_t lane) { m_sources.setLane(source, lane); }
    /// Returns whether an evaluation has been noted since the last call.
    bool takeTest(Source& source) const { return m_sources.takeTest(source); }

private:
    template <class Is> Source* sourceThat(const KnownLine& line, Is is);
    Source* untaggedSource(const KnownLine& line, const LogRuns& runs);
    Source* addSource(const KnownLine& line, LogRuns& runs);
    bool mayBeAnother(const KnownLine& line, const LogRuns& runs);
    bool isBehindOne(const KnownLine& line, const LogRuns& runs);
    bool isSame(const KnownLine& line, const Source& source) const;
    bool isAnothers(const KnownLine& line, const Source& source, const LogRuns& runs);
    bool isNextOfAny(const KnownLine& line);

    Sources m_sources;
    Ahead m_ahead;
};

} // namespace ringside::logs
