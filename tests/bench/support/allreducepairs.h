// SPDX-License-Identifier: MIT
// Our all-reduce over another's bare loop: the same ranks and the same buffer, in alternating rounds of one process.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "tests/bench/support/numbers.h"

#include <chrono>
#include <functional>
#include <string>

namespace ringside::bench {

/// So many, to their end on this rank.
using AllReduces = std::function<void(int count)>;

struct AllReducePair
{
    std::string name; ///< of the figure
    std::string target;
    std::string remark;
    AllReduces bare, ours;
};

/// Seconds of one, of `count` that begin together.
inline double secondsOf(Communicator& communicator, const AllReduces& allReduces, int count)
{
    must(communicator.barrier());
    const auto began = std::chrono::steady_clock::now();
    allReduces(count);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / count;
}

/// As many as fill a round, the same on all ranks.
inline int countFor(Communicator& communicator, const AllReducePair& pair)
{
    constexpr double roundSeconds = 0.15;
    secondsOf(communicator, pair.ours, 1);
    double seconds = secondsOf(communicator, pair.bare, 3);
    must(communicator.broadcast(std::as_writable_bytes(std::span(&seconds, 1)), 0));
    return std::clamp(static_cast<int>(roundSeconds / seconds), 2, 5'000);
}

/// Prints "name value unit target" on rank 0: the bare loop's time over ours, median over rounds.
inline void compare(Communicator& communicator, const AllReducePair& pair)
{
    constexpr int rounds = 15;
    const int count = countFor(communicator, pair);
    std::vector<double> ratios, times;
    for (int round = 0; round < rounds; ++round) {
        const double bare = secondsOf(communicator, pair.bare, count);
        const double own = secondsOf(communicator, pair.ours, count);
        ratios.push_back(bare / own);
        times.push_back(own);
    }
    if (communicator.rank() == 0)
        fmt::print("{} {:.3f} ratio {}  # {:.0f} us, {}\n", pair.name, median(ratios), pair.target, 1e6 * median(times),
                   pair.remark);
    std::fflush(stdout);
}

} // namespace ringside::bench
