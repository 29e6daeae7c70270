// SPDX-License-Identifier: GPL-3.0-or-later
// All that Monitor shows of one run, kept up to date from samples. Bounded; no Qt widgets; GUI thread.
#pragma once

#include "app/charts/latetrace.h"
#include "app/charts/phasebarschart.h"
#include "app/charts/throughputtrace.h"
#include "app/pages/monitor/storedattempt.h"

#include <deque>
#include <map>

namespace ringside {

/// Phases per rank are medians over this many iterations.
inline constexpr std::size_t kPhaseWindow = 50;

/// Phases of one iteration.
struct ToldPhases
{
    PhaseTimes times{};
    PhaseSet told = PhaseSet::all();
};

class LiveRun
{
public:
    LiveRun() = default;
    explicit LiveRun(const store::RunRow& run);

    /// A later state of the same run. A new attempt starts from nothing.
    void update(const store::RunRow& run);
    /// Samples may come twice, from the store and live: those that are there already are passed over.
    void add(int rank, const Sample& sample);
    void addClock(int rank, const ClockOffset& clock) { m_late.addClock(rank, clock); }
    void addClocksOf(const LiveRun& other) { m_late.addClocksOf(other.m_late); }
    void setWork(const RunWork& work) { m_work = work; }
    /// Adds the store's data; for an ended attempt that is a series in place of its samples.
    void add(const StoredAttempt& stored);

    const store::RunRow& row() const { return m_row; }
    bool hasSamples() const { return m_trace.lastIteration() || !m_series.empty(); }
    std::vector<TracePoint> points(int columns) const { return showsSeries() ? m_series : m_trace.points(columns); }
    /// The extent of one of these points.
    struct Span
    {
        int iterations = 0; ///< 0: seconds
        int seconds = 0;
        bool isInParts = false; ///< samples of several iterations stand for one each
    };
    Span spanOfPoints(int columns) const;
    std::optional<double> now() const { return m_row.state == RunState::running ? m_trace.now() : std::nullopt; }
    std::optional<double> sinceWarmup() const
    {
        return m_row.itemsPerSecond ? m_row.itemsPerSecond : m_trace.sinceWarmup();
    }
    /// Empty until the facts are there.
    const RunWork& work() const { return m_work; }
    /// The phases of an iteration, by its last samples.
    std::vector<RankPhases> phases() const;
    /// True if it was reported in samples of several iterations.
    bool isInParts() const { return m_isInParts; }
    /// Without iterations where no rank waits for another's gradients.
    LateView late() const;
    /// The number of processes that send samples.
    int rankProcesses() const;

private:
    store::RunRow m_row;
    ThroughputTrace m_trace;
    LateTrace m_late;
    std::optional<AggregationPlan> m_plan; ///< nullopt: it is not known yet
    std::vector<TracePoint> m_series;
    bool showsSeries() const { return isFinal(m_row.state) && !m_series.empty(); }
    RunWork m_work;
    bool m_isInParts = false;
    std::map<int, std::uint32_t> m_nextSeq;
    std::map<int, std::deque<ToldPhases>> m_window;
};

} // namespace ringside
