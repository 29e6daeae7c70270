// SPDX-License-Identifier: MIT
// A rate is work over time (STATISTICS.md, 1): never a mean of rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::stats {

/// Work of one rank in its steady iterations.
struct RankWork
{
    std::uint64_t items = 0;
    std::int64_t lengthNs = 0; ///< end of its last warm-up iteration to the end of its last iteration
    /// By records that cover several iterations, or report for several ranks, or between which some are missing:
    /// `lengthNs` is the sum of theirs then.
    bool isInParts = false;
    std::uint32_t ofRanks = 1; ///< whose items they are
    /// So many of them are known, where all ranks do the same number: one that lacks some did the rest like these. 0:
    /// they need not, and what is known is all.
    std::uint32_t iterations = 0;
};

/// Items per second of an attempt: items of all ranks over the longest rank's time (DESIGN section 3, "Time"). nullopt
/// without ranks or without time. Where ranks report for one another, so that reports cover more than `worldSize`,
/// items are shared out among those who report them; where reports cover fewer, what all do is not known: nullopt.
std::optional<double> runThroughput(const std::vector<RankWork>& ranks, std::int64_t worldSize);

} // namespace ringside::stats
