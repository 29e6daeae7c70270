// SPDX-License-Identifier: MIT
#include "core/stats/throughput.h"

#include <algorithm>

namespace ringside::stats {
namespace {

std::uint32_t mostIterations(const std::vector<RankWork>& ranks)
{
    std::uint32_t most = 0;
    for (const RankWork& rank : ranks)
        most = std::max(most, rank.iterations);
    return most;
}

} // namespace

std::optional<double> runThroughput(const std::vector<RankWork>& ranks, std::int64_t worldSize)
{
    double items = 0, longestNs = 0;
    std::int64_t told = 0;
    bool isInParts = false;
    const std::uint32_t most = mostIterations(ranks);
    for (const RankWork& rank : ranks) {
        const double whole = rank.iterations > 0 ? static_cast<double>(most) / rank.iterations : 1;
        items += whole * static_cast<double>(rank.items);
        longestNs = std::max(longestNs, whole * static_cast<double>(rank.lengthNs));
        told += rank.ofRanks;
        isInParts |= rank.isInParts;
    }
    if (longestNs <= 0 || told < worldSize)
        return std::nullopt;
    if (isInParts && told > worldSize)
        items *= static_cast<double>(worldSize) / static_cast<double>(told);
    return items * 1e9 / longestNs;
}

} // namespace ringside::stats
