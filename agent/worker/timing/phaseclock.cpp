// SPDX-License-Identifier: MIT
#include "agent/worker/timing/phaseclock.h"

namespace ringside {

void PhaseClock::start()
{
    m_lastNs = monotonicNs();
    ++m_stamps;
    m_iteration = {0, m_lastNs, {}};
    m_phase.store(Phase::other, std::memory_order_relaxed);
    m_seq.store(0, std::memory_order_relaxed);
    m_started.store(true, std::memory_order_relaxed);
    for (PhaseObserver* observer : m_observers)
        observer->began();
}

std::int64_t PhaseClock::stamp()
{
    if (!m_measures)
        return m_lastNs;
    const auto now = monotonicNs();
    m_iteration.phases[static_cast<std::size_t>(phase())] += now - m_lastNs;
    m_lastNs = now;
    ++m_stamps;
    return now;
}

void PhaseClock::enter(Phase phase)
{
    stamp();
    m_phase.store(phase, std::memory_order_relaxed);
    for (PhaseObserver* observer : m_observers)
        observer->entered(phase);
}

PhaseClock::Iteration PhaseClock::turn()
{
    const auto now = stamp();
    const auto ended = m_iteration;
    m_iteration = {ended.seq + 1, now, {}};
    m_phase.store(Phase::other, std::memory_order_relaxed);
    m_seq.store(m_iteration.seq, std::memory_order_relaxed);
    for (PhaseObserver* observer : m_observers)
        observer->turned();
    return ended;
}

} // namespace ringside
