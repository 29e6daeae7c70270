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
    /// By records that cover several iterations, or speak for several ranks: `lengthNs` is the sum of theirs then.
    bool isInParts = false;
    std::uint32_t ofRanks = 1; ///< whose items they are
};

/// Items per second of an attempt: items of all ranks over the longest rank's time (DESIGN section 3, "Time"). nullopt
/// without ranks or without time. Where ranks speak for one another, so that reports cover more than `worldSize`, items
/// are shared out among those who report them; where programs' own lines cover fewer, what all do is not known.
std::optional<double> runThroughput(const std::vector<RankWork>& ranks, std::int64_t worldSize);

} // namespace ringside::stats
