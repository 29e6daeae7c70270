// SPDX-License-Identifier: MIT
#include "core/logs/turns.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

namespace {

constexpr std::size_t kMostJobs = 16; // longer runs are those of one job

} // namespace

bool Turns::add(const Place& at, std::size_t run, std::uint64_t line)
{
    if (m_run != run) {
        if (m_run)
            endRun(at, line);
        m_run = run;
        m_first = at;
        m_records = 0;
    }
    if (++m_records == 2)
        m_second = at;
    m_last = at;
    return m_turns >= kTurnsToDecide;
}

/// Returns whether the run at hand holds a line each of jobs at several places, where the next one begins at this
/// place. A resumed job goes back by its own steps, so it begins at its second record at the earliest, as two jobs that
/// are a step apart do: with two records, nothing distinguishes them.
bool Turns::isTurn(const Place& at) const
{
    if (m_records == 2 || at == m_first)
        return at > m_first;
    return m_records <= kMostJobs && at < m_second && (m_length == 0 || m_records == m_length);
}

/// Each of the processes that stand at one place prints a run of one record, and the last of them one of two, the
/// second of which is of the next place. A longer run holds several lines of one process, unless it is a turn, and two
/// records that begin again are a run.
void Turns::endRun(const Place& at, std::uint64_t line)
{
    constexpr std::size_t kMostCounted = 1'000;
    if (at < m_first || at > m_last)
        return forget();
    const bool isOfTurns = isTurn(at);
    if (!isOfTurns && m_records > 1) {
        m_turns -= static_cast<int>(std::clamp<std::size_t>(m_records - 2, 1, kMostCounted));
        if (m_turns <= 0)
            forget();
        return;
    }
    if (!std::exchange(m_isBegun, true)) {
        m_firstRun = *m_run;
        m_firstLine = line;
    }
    m_turns += isOfTurns;
    if (m_records > 2)
        m_length = m_records;
}

void Turns::forget()
{
    m_turns = 0;
    m_isBegun = false;
    m_length = 0;
}

} // namespace ringside::logs
