// SPDX-License-Identifier: MIT
#include "core/stats/throughput.h"

#include <algorithm>

namespace ringside::stats {

std::optional<double> runThroughput(const std::vector<RankWork>& ranks, std::int64_t worldSize)
{
    double items = 0;
    std::int64_t longestNs = 0, told = 0;
    bool isInParts = false;
    for (const RankWork& rank : ranks) {
        items += static_cast<double>(rank.items);
        longestNs = std::max(longestNs, rank.lengthNs);
        told += rank.ofRanks;
        isInParts |= rank.isInParts;
    }
    if (longestNs <= 0 || (isInParts && told < worldSize))
        return std::nullopt;
    if (isInParts && told > worldSize)
        items *= static_cast<double>(worldSize) / static_cast<double>(told);
    return items * 1e9 / static_cast<double>(longestNs);
}

} // namespace ringside::stats
