// SPDX-License-Identifier: MIT
// Estimates how long runs that wait or run will take, by how long others of their configurations took (STATISTICS.md,
// 10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::stats {

/// A run that was done; trials, and runs that failed or were cancelled, say nothing of how long one takes.
struct PastRun
{
    std::string configuration;
    std::string campaign; ///< whose runs follow one another
    std::int64_t startNs = 0, endNs = 0;
};

struct RunToDo
{
    std::string configuration;
    double elapsedSeconds = 0; ///< of one that runs
    std::string campaign = {};
};

/// Seconds until all of `toDo` have ended. For each, the median length of the past runs of its configuration, less what
/// has elapsed, and the median gap between runs of a campaign; for a configuration without any, the mean of the other
/// ones' medians. In all divided by as many runs as went on at once, on average, while any did: a night, a hold or lost
/// contact between two runs is no part of it; but no less than the runs of any one campaign. nullopt without past runs.
std::optional<double> secondsLeft(const std::vector<PastRun>& past, const std::vector<RunToDo>& toDo);

} // namespace ringside::stats
