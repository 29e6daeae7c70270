// SPDX-License-Identifier: MIT
#include "agent/runner/hungrank.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ringside::runner {

namespace {

/// True of a waiting process; for a worker that does not report communication, by the phase of its compute thread.
bool waits(const Stalled& process)
{
    return process.communication ? process.communication->waits : process.phase == Phase::commExposed;
}

std::uint64_t entered(const Stalled& process)
{
    return process.communication ? process.communication->entered : 0;
}

/// Among several that do not wait: first one whose own thread computes, then the one furthest behind. A server comes
/// last: it counts other messages.
bool isLikelier(const Stalled& a, const Stalled& b)
{
    const auto order = [](const Stalled& process) {
        return std::tuple(!process.trains, process.phase == Phase::commExposed, entered(process), process.process);
    };
    return order(a) < order(b);
}

bool isBehind(const Stalled& a, const Stalled& b)
{
    return entered(a) < entered(b);
}

} // namespace

std::optional<int> hungRank(std::span<const Stalled> stalled)
{
    if (stalled.size() == 1)
        return stalled.front().process;
    std::vector<Stalled> active;
    std::ranges::copy_if(stalled, std::back_inserter(active), [](const Stalled& process) { return !waits(process); });
    if (!active.empty())
        return std::ranges::min_element(active, isLikelier)->process;
    std::vector<Stalled> ranks;
    std::ranges::copy_if(stalled, std::back_inserter(ranks), [](const Stalled& process) { return process.trains; });
    if (ranks.empty())
        return std::nullopt;
    const auto [least, most] = std::ranges::minmax_element(ranks, isBehind);
    return isBehind(*least, *most) ? std::optional(least->process) : std::nullopt;
}

} // namespace ringside::runner
