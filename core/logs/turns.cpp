// SPDX-License-Identifier: MIT
#include "core/logs/turns.h"

#include <algorithm>

namespace ringside::logs {

bool Turns::add(const Place& at, std::size_t run, std::uint64_t line)
{
    if (m_run == run) {
        if (++m_records == 2)
            m_second = at;
        m_last = at;
        return m_turns >= kTurnsToDecide;
    }
    if (m_run)
        endRun(at, line);
    m_run = run;
    m_first = m_last = at;
    m_records = 1;
    return m_turns >= kTurnsToDecide;
}

/// A turn of more than two processes is longer, but it ends before the place of its second record: the first process
/// goes on. A longer run among many short ones holds several lines of one process.
void Turns::endRun(const Place& at, std::uint64_t line)
{
    constexpr std::size_t kMostCounted = 1'000;
    if (at < m_first || at > m_last)
        return forget();
    if (m_turns == 0 && m_atOnce == 0) {
        m_firstRun = *m_run;
        m_firstLine = line;
    }
    if (m_records > 2 && at >= m_second) {
        m_turns -= static_cast<int>(std::min(m_records - 2, kMostCounted));
    } else if (at == m_first) {
        ++m_atOnce;
    } else {
        ++m_turns;
        m_atOnce = 0;
    }
    if (m_turns < 0 || m_atOnce > kMostAtOnce)
        forget();
}

void Turns::forget()
{
    m_turns = m_atOnce = 0;
}

} // namespace ringside::logs
