// SPDX-License-Identifier: MIT
// Writes the runner's journal, and outlasts a disk that is full for a while.
#pragma once

#include "agent/runner/limits.h"
#include "agent/runner/verdict.h"
#include "core/protocol/journal.h"

#include <deque>

namespace ringside::runner {

/// Events are written in order. A failed write is repeated; after Limits::journal it is an error.
class JournalWriter
{
public:
    JournalWriter(Journal journal, int lease, milliseconds patience)
        : m_journal(std::move(journal))
        , m_lease(lease)
        , m_patience(patience)
    {
    }

    void runnerStarted();
    void attemptStarted(const RunId& run, int attempt);
    void attemptEnded(const RunId& run, int attempt, const Verdict& verdict);
    void held();
    void waits(Reason reason);
    void continued();
    void runnerEnded(RunState state, Reason reason);

    int lease() const { return m_lease; }
    /// Drops what is not written yet, and all that is added from here on: the journal is another runner's, or gone.
    void close();

    /// Writes the events that failed before. Fails once the oldest event waited longer than the patience.
    Result<void> flush();
    /// Waits until everything is written; at most the patience.
    Result<void> drain();

private:
    void add(JournalEvent event);

    Journal m_journal;
    int m_lease;
    milliseconds m_patience;
    bool m_isClosed = false;
    std::deque<JournalEvent> m_waiting;
    std::int64_t m_waitingSinceNs = 0;
};

} // namespace ringside::runner
