// SPDX-License-Identifier: GPL-3.0-or-later
// All that Monitor shows of one run, kept up to date from samples. Bounded; no Qt widgets; GUI thread.
#pragma once

#include "app/charts/phasebarschart.h"
#include "app/charts/throughputtrace.h"

#include "core/store/rows.h"

#include <deque>
#include <map>

namespace ringside {

/// Phases per rank are medians over this many iterations.
inline constexpr std::size_t kPhaseWindow = 50;

class LiveRun
{
public:
    LiveRun() = default;
    explicit LiveRun(const store::RunRow& run);

    /// A later state of the same run. A new attempt starts from nothing.
    void update(const store::RunRow& run);
    /// Samples may come twice, from the store and live: those that are there already are passed over.
    void add(int rank, const Sample& sample);
    /// What the store keeps of an ended attempt, in place of its samples.
    void setSeries(const std::vector<store::SeriesPoint>& series);

    const store::RunRow& row() const { return m_row; }
    bool hasSamples() const { return m_trace.lastIteration() || !m_series.empty(); }
    std::vector<TracePoint> points(int columns) const;
    std::optional<double> now() const;
    std::optional<double> sinceWarmup() const;
    std::vector<RankPhases> phases() const;

private:
    int ranks() const;

    store::RunRow m_row;
    ThroughputTrace m_trace;
    std::vector<TracePoint> m_series;
    std::map<int, std::uint32_t> m_nextSeq;
    std::map<int, std::deque<PhaseTimes>> m_window;
};

} // namespace ringside
