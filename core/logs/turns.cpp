// SPDX-License-Identifier: MIT
#include "core/logs/turns.h"

#include <algorithm>
#include <utility>

namespace ringside::logs {

bool Turns::add(const Place& at, std::size_t run, std::uint64_t line)
{
    if (m_run != run) {
        if (m_run)
            endRun(at, line);
        m_run = run;
        m_first = at;
        m_records = 0;
    }
    m_last = at;
    ++m_records;
    return m_turns >= kTurnsToDecide;
}

/// Each of the processes that stand at one place prints a run of one record, and the last of them one of two, the
/// second of which is of the next place. A longer run holds several lines of one process, and two records that begin
/// again are a run.
void Turns::endRun(const Place& at, std::uint64_t line)
{
    constexpr std::size_t kMostCounted = 1'000;
    if (at < m_first || at > m_last)
        return forget();
    const bool isTurn = m_records == 2 && at > m_first;
    if (!isTurn && m_records > 1) {
        m_turns -= static_cast<int>(std::clamp<std::size_t>(m_records - 2, 1, kMostCounted));
        if (m_turns <= 0)
            forget();
        return;
    }
    if (!std::exchange(m_isBegun, true)) {
        m_firstRun = *m_run;
        m_firstLine = line;
    }
    m_turns += isTurn;
}

void Turns::forget()
{
    m_turns = 0;
    m_isBegun = false;
}

} // namespace ringside::logs
