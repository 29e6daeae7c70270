// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/throughputtrace.h"

#include "core/base/sequences.h"
#include "core/stats/quantile.h"
#include "core/stats/throughput.h"

#include <algorithm>

namespace ringside {

namespace {

/// The span of the medians that the chart shows.
constexpr double kSpanSeconds = 1.0;

/// Iterations that wait for a rank: one that stays silent must not make the others pile up without end.
constexpr std::size_t kMostIncomplete = 4'096;

/// Several neighbouring points as one. The median of medians is drawn, never reported.
TracePoint joined(const std::vector<TracePoint>& points, std::size_t begin, std::size_t end)
{
    std::vector<double> medians;
    TracePoint all = points[begin];
    for (std::size_t i = begin; i < end; ++i) {
        medians.push_back(points[i].median);
        all.low = std::min(all.low, points[i].low);
        all.high = std::max(all.high, points[i].high);
    }
    all.iteration = points[end - 1].iteration;
    all.median = stats::median(medians);
    return all;
}

} // namespace

ThroughputTrace::ThroughputTrace(int ranks, std::uint32_t warmup)
    : m_ranks(std::max(1, ranks))
    , m_warmup(warmup)
{
}

void ThroughputTrace::add(int rank, const Sample& sample)
{
    Steady& steady = m_steady[rank];
    if (sample.seq >= m_warmup && sample.firstSeq() >= m_warmup) {
        steady.isInParts |= !sample.isSingle() || (steady.beginNs && sample.firstSeq() != steady.nextSeq);
        if (!steady.beginNs)
            steady.beginNs = sample.startNs; // the end of the iteration before it
        steady.items += sample.items;
        steady.endNs = sample.endNs();
        steady.lengthNs += sample.lengthNs();
        steady.nextSeq = sample.seq + 1;
        steady.ofRanks = sample.ofRanks;
    }
    if (m_last && sample.seq <= *m_last)
        return; // a rank that comes after the others were given up
    Iteration& iteration = m_incomplete[sample.seq];
    iteration.items += sample.items;
    iteration.longestNs = std::max(iteration.longestNs, sample.lengthNs());
    iteration.ranks += sample.ofRanks;
    iteration.covered = ++iteration.samples == 1 || iteration.covered == sample.iterations ? sample.iterations : 0;
    if (iteration.ranks >= m_ranks) {
        const Iteration whole = iteration;
        m_incomplete.erase(sample.seq);
        complete(sample.seq, whole);
    }
    if (m_incomplete.size() > kMostIncomplete)
        m_incomplete.erase(m_incomplete.begin());
}

void ThroughputTrace::addEarlier(int rank, std::uint64_t items, std::int64_t beginNs, std::int64_t lengthNs)
{
    Steady& steady = m_steady[rank];
    steady.items += items;
    steady.lengthNs += lengthNs;
    steady.beginNs = beginNs;
    steady.endNs = std::max(steady.endNs, beginNs);
}

void ThroughputTrace::complete(std::uint32_t seq, const Iteration& iteration)
{
    if (iteration.longestNs <= 0 || iteration.covered == 0)
        return;
    const double seconds = static_cast<double>(iteration.longestNs) / 1e9;
    if (!m_rates.empty() && m_secondsLength + seconds > kSpanSeconds) {
        m_seconds.push_back(present());
        m_rates.clear();
        m_secondsLength = 0;
    }
    const double all = static_cast<double>(iteration.items) / seconds;
    const bool isOfAll = iteration.ranks == m_ranks; // else some report for the same ranks
    m_rates.push_back({seq, isOfAll ? all : all * m_ranks / static_cast<double>(iteration.ranks)});
    m_secondsLength += seconds;
    m_last = seq;
}

TracePoint ThroughputTrace::present() const
{
    const std::vector<double> rates = mapped(m_rates, [](const Rate& rate) { return rate.itemsPerSecond; });
    const auto [low, high] = std::ranges::minmax(rates);
    return {static_cast<double>(*m_last), low, stats::median(rates), high};
}

std::vector<TracePoint> ThroughputTrace::eachIteration() const
{
    return mapped(m_rates, [](const Rate& rate) {
        return TracePoint{static_cast<double>(rate.seq), rate.itemsPerSecond, rate.itemsPerSecond, rate.itemsPerSecond};
    });
}

std::vector<TracePoint> ThroughputTrace::points(int columns) const
{
    std::vector<TracePoint> all = m_seconds;
    if (m_seconds.empty())
        all = eachIteration(); // less than a second: one median would be a dot
    else if (!m_rates.empty())
        all.push_back(present());
    const std::size_t most = static_cast<std::size_t>(std::max(2, columns));
    if (all.size() <= most)
        return all;
    std::vector<TracePoint> fewer;
    for (std::size_t column = 0; column < most; ++column)
        fewer.push_back(joined(all, column * all.size() / most, (column + 1) * all.size() / most));
    return fewer;
}

int ThroughputTrace::secondsPerPoint(int columns) const
{
    const std::size_t all = m_seconds.size() + (m_rates.empty() ? 0 : 1);
    const std::size_t most = static_cast<std::size_t>(std::max(2, columns));
    if (m_seconds.empty() && !m_rates.empty() && m_rates.size() <= most)
        return 0;
    return static_cast<int>(std::max<std::size_t>(1, (all + most - 1) / most));
}

std::optional<double> ThroughputTrace::now() const
{
    if (m_rates.empty())
        return std::nullopt;
    return present().median;
}

std::optional<double> ThroughputTrace::sinceWarmup() const
{
    std::vector<stats::RankWork> work;
    for (const auto& [rank, steady] : m_steady)
        if (steady.beginNs)
            work.push_back({steady.items, steady.isInParts ? steady.lengthNs : steady.endNs - *steady.beginNs,
                            steady.isInParts, steady.ofRanks});
    return stats::runThroughput(work, m_ranks);
}

} // namespace ringside
