// SPDX-License-Identifier: MIT
// The figure of a run that was read from a log: items per second of all ranks, the median of its records behind the
// warm-up. Pure. Nothing is guessed: what has to be known besides is named.
#pragma once

#include "core/logs/content.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::logs {

struct LogFigure
{
    std::optional<double> itemsPerSecond = {}; ///< of all ranks
    std::optional<double> perLane = {};        ///< of one that printed, where all ranks' cannot be known
    Scope scope = Scope::rank;                 ///< whose records it was made of
    std::int64_t ranks = 0;                    ///< as printed, or as seen
    std::uint64_t records = 0;                 ///< of all lanes
    std::uint64_t leftOut = 0;                 ///< as warm-up
    std::uint64_t refused = 0;
    std::optional<double> firstLoss = {}, lastLoss = {};
    bool isLossSum = false;                ///< they are sums over iterations that are not counted
    std::vector<Finding> contradictions;   ///< of the figure as a whole: then there is neither a rate nor work
    std::vector<std::string_view> missing; ///< settings that the user has to say: "batch_per_rank", "ranks"
};

LogFigure figureOf(const LogRun& run, int warmupRecords);

/// A record as what it counts for. Where the lines do not say how many iterations it covers, it counts as one.
struct Work
{
    const LogRecord* record;
    std::uint32_t iterations;
    double items;
    double seconds;
    bool isWarmup;
};

/// Work of one lane, in order: no records that contradict themselves, nor, unless all do, those whose time holds an
/// evaluation.
struct LaneWork
{
    const LogLane* lane;
    std::vector<Work> works = {};
    std::uint64_t untimed = 0; ///< records whose rate yields no time, since the batch is not known
};

/// Returns the work of the lanes that the figure was made of, as far as each of them reports it; of lines about all
/// ranks, which each of them may print, that of one. `run` outlives it.
std::vector<LaneWork> workOf(const LogRun& run, const LogFigure& figure, int warmupRecords);

/// Returns what contradicts the figure: ranks that disagree about a number of all, counts that are no batches, and the
/// program's own summary. Reports also that its time holds evaluations.
std::vector<Finding> findingsOf(const LogRun& run, const LogFigure& figure, int warmupRecords);

} // namespace ringside::logs
