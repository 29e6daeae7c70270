// SPDX-License-Identifier: MIT
// The phases of the compute thread. At every instant the clock is in exactly one phase, so the phases of an iteration
// add up to its length, and one iteration ends where the next begins.
#pragma once

#include "core/base/clock.h"
#include "core/protocol/sample.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace ringside {

/// Called at every border as the clock passes it, on the compute thread.
class PhaseObserver
{
public:
    virtual ~PhaseObserver() = default;
    /// Iteration 0 begins, in phase other.
    virtual void began() {}
    virtual void entered(Phase phase) = 0;
    /// The iteration ends and the next one begins, in phase other.
    virtual void turned() {}
};

/// Used by the compute thread only; `phase`, `seq` and `started` may be read from any thread. One stamp is one reading
/// of CLOCK_MONOTONIC; nothing allocates or locks.
class PhaseClock
{
public:
    /// The clock's record of an iteration that has ended.
    struct Iteration
    {
        std::uint32_t seq = 0;
        std::int64_t startNs = 0;
        PhaseTimes phases{};
    };

    /// A clock that does not measure stands still and only counts iterations: it serves to find out what measuring
    /// costs.
    explicit PhaseClock(bool measures = true)
        : m_measures(measures)
    {
    }
    bool measures() const { return m_measures; }
    /// Adds an observer, which is called after those before it; used only if the clock measures. It must outlive the
    /// iterations that follow, or be removed.
    void add(PhaseObserver& observer)
    {
        if (m_measures)
            m_observers.push_back(&observer);
    }
    void remove(const PhaseObserver& observer) { std::erase(m_observers, &observer); }

    /// Starts iteration 0 in phase other.
    void start();
    /// The time since the last stamp belongs to the phase left; what follows belongs to `phase`.
    void enter(Phase phase);
    /// Ends the iteration and starts the next one in phase other, with one stamp.
    Iteration turn();

    std::uint64_t stamps() const { return m_stamps; }
    /// Adds stamps made elsewhere: they are part of what measuring costs.
    void countStamps(std::uint64_t stamps) { m_stamps += stamps; }

    Phase phase() const { return m_phase.load(std::memory_order_relaxed); }
    std::uint32_t seq() const { return m_seq.load(std::memory_order_relaxed); }
    bool started() const { return m_started.load(std::memory_order_relaxed); }

private:
    std::int64_t stamp();

    const bool m_measures;
    std::vector<PhaseObserver*> m_observers;
    Iteration m_iteration;
    std::int64_t m_lastNs = 0;
    std::uint64_t m_stamps = 0;
    std::atomic<Phase> m_phase{Phase::other};
    std::atomic<std::uint32_t> m_seq{0};
    std::atomic<bool> m_started{false};
};

} // namespace ringside
