// SPDX-License-Identifier: MIT
#include "core/stats/throughput.h"

#include <algorithm>

namespace ringside::stats {

std::optional<double> runThroughput(const std::vector<RankWork>& ranks)
{
    double items = 0;
    std::int64_t longestNs = 0;
    for (const RankWork& rank : ranks) {
        items += static_cast<double>(rank.items);
        longestNs = std::max(longestNs, rank.lengthNs);
    }
    if (longestNs <= 0)
        return std::nullopt;
    return items * 1e9 / static_cast<double>(longestNs);
}

} // namespace ringside::stats
