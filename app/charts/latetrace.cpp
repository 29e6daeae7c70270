// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/latetrace.h"

#include <algorithm>

namespace ringside {

namespace {

/// Iterations that wait for a rank: one that stays silent must not make the others pile up without end.
constexpr std::size_t kMostIncomplete = 1'024;

std::int64_t turnsOf(const Sample& sample)
{
    return sample.phases[static_cast<std::size_t>(Phase::commExposed)] +
           sample.phases[static_cast<std::size_t>(Phase::update)];
}

/// Measurements of a clock; of more the first and the newest stay.
constexpr std::size_t kMostClocks = 64;

} // namespace

LateTrace::LateTrace(int ranks)
    : m_ranks(std::max(1, ranks))
{
}

void LateTrace::addClock(int rank, const ClockOffset& clock)
{
    if (rank < 0 || rank >= m_ranks)
        return;
    auto& clocks = m_clocks[rank];
    if (clocks.empty() || clocks.back().atNs < clock.atNs) // from the store and live, the same may come twice
        clocks.push_back(clock);
    if (clocks.size() > kMostClocks)
        clocks.erase(clocks.begin() + 1);
}

void LateTrace::addClocksOf(const LateTrace& other)
{
    for (const auto& [rank, clocks] : other.m_clocks)
        for (const ClockOffset& clock : clocks)
            addClock(rank, clock);
}

void LateTrace::add(int rank, const Sample& sample)
{
    if (rank < 0 || rank >= m_ranks || m_ranks == 1)
        return;
    if (!m_iterations.empty() && sample.seq <= m_iterations.back().seq)
        return; // a rank that comes after the others were given up
    const auto startNs = stats::allReduceStartNs(sample);
    if (!startNs)
        return;
    Iteration& iteration = m_incomplete[sample.seq];
    iteration.seq = sample.seq;
    iteration.startsNs.resize(static_cast<std::size_t>(m_ranks));
    iteration.startsNs[static_cast<std::size_t>(rank)] = *startNs;
    iteration.turnsNs.resize(static_cast<std::size_t>(m_ranks));
    iteration.turnsNs[static_cast<std::size_t>(rank)] = turnsOf(sample);
    iteration.lengthNs = std::max(iteration.lengthNs, sample.lengthNs());
    if (++iteration.ranks == m_ranks) {
        m_iterations.push_back(std::move(iteration));
        m_incomplete.erase(m_incomplete.begin(), m_incomplete.upper_bound(sample.seq));
    }
    if (m_iterations.size() > kIterations)
        m_iterations.pop_front();
    if (m_incomplete.size() > kMostIncomplete)
        m_incomplete.erase(m_incomplete.begin());
}

std::optional<stats::Lateness> LateTrace::latenessOf(const Iteration& iteration, Exchange exchange) const
{
    std::vector<stats::Moment> moments;
    for (int rank = 0; rank < m_ranks; ++rank) {
        const auto clocks = m_clocks.find(rank);
        if (clocks == m_clocks.end())
            return std::nullopt;
        const auto place = static_cast<std::size_t>(rank);
        const std::int64_t turnsNs = exchange == Exchange::inForward ? iteration.turnsNs[place] : 0;
        moments.push_back(*stats::momentOf(iteration.startsNs[place] + turnsNs, clocks->second));
    }
    return stats::Lateness{stats::lateness(moments), iteration.lengthNs};
}

LateView LateTrace::view(Exchange exchange) const
{
    LateView view;
    for (const Iteration& iteration : m_iterations)
        if (auto late = latenessOf(iteration, exchange))
            view.iterations.push_back(std::move(*late));
    if (view.iterations.empty())
        return view;
    view.firstSeq = m_iterations.front().seq;
    view.lastSeq = m_iterations.back().seq;
    view.named = stats::namedRank(view.iterations);
    return view;
}

} // namespace ringside
