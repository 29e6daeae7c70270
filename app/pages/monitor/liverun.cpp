// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/liverun.h"

#include "app/widgets/numbers.h"

#include "core/stats/quantile.h"
#include "core/store/summaries.h"

#include <algorithm>

namespace ringside {

namespace {

/// Counts ranks, not processes, which may be several ranks each.
int ranksOf(const store::RunRow& run)
{
    return static_cast<int>(integerOf(run.settings, "ranks").value_or(1));
}

PhaseTimes ofOneIteration(const Sample& sample)
{
    PhaseTimes times = sample.phases;
    for (std::int64_t& ns : times)
        ns /= std::max<std::int64_t>(1, sample.iterations);
    return times;
}

/// The medians of all of these; a phase that one of them lacks belongs to the rest in all.
RankPhases barOf(const QString& name, const QString& title, std::vector<ToldPhases> iterations)
{
    RankPhases bar{name, title};
    for (const ToldPhases& iteration : iterations)
        bar.told = bar.told & iteration.told;
    for (ToldPhases& iteration : iterations)
        keepTold(iteration.times, bar.told);
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        std::vector<double> values;
        for (const ToldPhases& iteration : iterations)
            values.push_back(static_cast<double>(iteration.times[phase]) / 1e6);
        bar.ms[phase] = values.empty() ? 0 : stats::median(values);
    }
    return bar;
}

} // namespace

LiveRun::LiveRun(const store::RunRow& run)
    : m_row(run)
    , m_trace(ranksOf(run), static_cast<std::uint32_t>(std::max(0, run.warmup)))
    , m_late(rankProcesses())
{
}

int LiveRun::rankProcesses() const
{
    return ranksOf(m_row) / m_row.ranksPerProcess;
}

void LiveRun::update(const store::RunRow& run)
{
    if (run.attempt != m_row.attempt)
        *this = LiveRun(run);
    else
        m_row = run;
}

void LiveRun::add(int rank, const Sample& sample)
{
    std::uint32_t& next = m_nextSeq[rank];
    if (sample.seq < next)
        return;
    next = sample.seq + 1;
    m_trace.add(rank, sample);
    m_late.add(rank, sample);
    m_isInParts |= sample.iterations > 1;
    auto& window = m_window[rank];
    window.push_back({ofOneIteration(sample), sample.told});
    if (window.size() > kPhaseWindow)
        window.pop_front();
}

void LiveRun::add(const StoredAttempt& stored)
{
    for (const store::RankClockOffset& each : stored.clocks)
        m_late.addClock(each.rank, each.clock);
    for (const store::SteadyWork& work : stored.earlier)
        m_trace.addEarlier(work.rank, work.items, work.beginNs, work.lengthNs);
    for (const store::RankSample& sample : stored.samples)
        add(sample.rank, sample.sample);
    m_work = stored.work;
    m_plan = stored.plan;
    m_series.clear();
    for (const store::SeriesPoint& point : stored.series)
        m_series.push_back({point.iteration, point.low, point.median, point.high});
}

LiveRun::Span LiveRun::spanOfPoints(int columns) const
{
    if (showsSeries())
        return {int(m_row.lastSeq) / store::kMaxSeriesPoints + 1, 0, m_isInParts}; // as of store::makeSeries()
    const int seconds = m_trace.secondsPerPoint(columns);
    return {seconds == 0 ? 1 : 0, seconds, m_isInParts};
}

LateView LiveRun::late() const
{
    if (!m_plan || m_plan->isAsynchronous())
        return {};
    LateView view =
        m_late.view(m_plan->isLayerwise() ? LateTrace::Exchange::inForward : LateTrace::Exchange::afterBackward);
    view.ranksPerProcess = m_row.ranksPerProcess;
    return view;
}

std::vector<RankPhases> LiveRun::phases() const
{
    std::vector<RankPhases> bars;
    const std::size_t perBar = (m_window.size() + kMostRankBars - 1) / kMostRankBars;
    for (auto rank = m_window.begin(); rank != m_window.end();) {
        const int first = rank->first;
        int last = first;
        std::vector<ToldPhases> iterations;
        for (std::size_t i = 0; i < perBar && rank != m_window.end(); ++i, ++rank) {
            iterations.insert(iterations.end(), rank->second.begin(), rank->second.end());
            last = rank->first;
        }
        const int each = m_row.ranksPerProcess;
        bars.push_back(
            barOf(Numbers::ranks(first, last, each), Numbers::namedRanks(first, last, each), std::move(iterations)));
    }
    return bars;
}

} // namespace ringside
