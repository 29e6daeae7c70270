// SPDX-License-Identifier: MIT
#include "agent/runner/rankreports.h"

#include <algorithm>

namespace ringside::runner {

RankReports::RankReports(OwnRanks ranks)
    : m_own(ranks)
    , m_ofRanks(ranks.count)
{
}

OrReason<void> RankReports::begin(int rank, std::uint32_t ofRanks)
{
    const bool isEach = m_own.mayBeStarted && ofRanks == 1;
    const int last = m_own.first + static_cast<int>(m_own.count) - 1;
    if (isEach && (rank < m_own.first || rank > last))
        return tl::unexpected(because(why::kForeignRank, {{"started", rank}, {"first", m_own.first}, {"last", last}}));
    if (m_own.mayBeStarted && isReportedOtherwise(rank, isEach))
        return tl::unexpected(because(why::kTwiceReported, {{"started", rank}}));
    if (isEach)
        m_each.try_emplace(rank, 0);
    else
        m_whole = rank;
    m_ofRanks = isEach ? m_own.count : ofRanks;
    return {};
}

bool RankReports::isReportedOtherwise(int rank, bool isForItself) const
{
    if (isForItself)
        return m_whole.has_value();
    return isEach() || (m_whole && *m_whole != rank);
}

bool RankReports::areOfProcess(std::optional<int> rank) const
{
    return !isEach() || ownerOf(rank) == m_own.first;
}

void RankReports::count(std::optional<int> rank, std::uint64_t iterations)
{
    if (!isEach())
        m_iterations = std::max(m_iterations.value_or(0), iterations);
    else if (const auto own = m_each.find(ownerOf(rank).value_or(-1)); own != m_each.end())
        own->second = std::max(own->second, iterations);
}

OrReason<void> RankReports::checkAllBegan() const
{
    if (!isEach() || m_each.size() == m_own.count)
        return {};
    return tl::unexpected(because(why::kRanksMissing, {{"began", static_cast<std::int64_t>(m_each.size())},
                                                       {"ranks", static_cast<std::int64_t>(m_own.count)}}));
}

Sample RankReports::ofProcess(Sample sample) const
{
    sample.ofRanks = m_ofRanks;
    if (isEach())
        sample.items *= m_ofRanks; // both have 32 bits
    return sample;
}

std::optional<std::uint64_t> RankReports::iterations() const
{
    if (!isEach())
        return m_iterations;
    return std::ranges::min_element(m_each, {}, [](const auto& each) { return each.second; })->second;
}

} // namespace ringside::runner
