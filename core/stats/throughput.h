// SPDX-License-Identifier: MIT
// A rate is work over time (STATISTICS.md, 1): never a mean of rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::stats {

/// What one rank did in its steady iterations.
struct RankWork
{
    std::uint64_t items = 0;
    std::int64_t lengthNs = 0; ///< end of its last warm-up iteration to the end of its last iteration
};

/// Items per second of an attempt: items of all ranks over the longest rank's time (DESIGN section 3, "Time").
/// nullopt without ranks or without time.
std::optional<double> runThroughput(const std::vector<RankWork>& ranks);

} // namespace ringside::stats
