// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks that the others waited for in the last iterations of one attempt: stamps and clock offsets in, lateness
// out. Bounded. No Qt; one thread.
#pragma once

#include "core/stats/lateness.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace ringside {

struct LateView
{
    std::uint32_t firstSeq = 0, lastSeq = 0;
    std::vector<stats::Lateness> iterations; ///< the last ones that every rank has delivered; lateness by rank
    std::optional<stats::LateRank> named;
    int ranksPerProcess = 1; ///< more: lateness is by process, each of which is so many ranks
};

class LateTrace
{
public:
    /// Number of stored iterations.
    static constexpr std::size_t kIterations = 60;

    explicit LateTrace(int ranks = 1);

    /// In the order of time, of each rank.
    void addClock(int rank, const ClockOffset& clock);
    void addClocksOf(const LateTrace& other);
    /// A rank's samples come in their order, the ranks among each other as they like.
    void add(int rank, const Sample& sample);

    /// A plan may let the exchange and the update of each layer wait for its turn in the forward pass; then a rank has
    /// its last gradient that much later. The last iteration of such a run, which waits behind its backward pass, is
    /// none.
    enum class Exchange
    {
        afterBackward,
        inForward
    };
    /// Without iterations while a rank's clock was not measured, or there is one rank.
    LateView view(Exchange exchange = Exchange::afterBackward) const;

private:
    struct Iteration
    {
        std::uint32_t seq = 0;
        std::vector<std::int64_t> startsNs; ///< of the all-reduce, by rank, each on its own clock
        std::vector<std::int64_t> turnsNs;  ///< of exchange and update, by rank
        std::int64_t lengthNs = 0;          ///< of the longest rank
        int ranks = 0;
    };

    std::optional<stats::Lateness> latenessOf(const Iteration& iteration, Exchange exchange) const;

    int m_ranks;
    std::map<int, std::vector<ClockOffset>> m_clocks;
    std::map<std::uint32_t, Iteration> m_incomplete;
    std::deque<Iteration> m_iterations;
};

} // namespace ringside
