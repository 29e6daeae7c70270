// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/shards.h"

#include "agent/worker/collectives/numbers.h"

#include <algorithm>

namespace ringside {

namespace {

std::vector<Shard> cut(std::size_t numbers, int servers)
{
    std::vector<Shard> shards;
    for (int server = 0; server < servers; ++server) {
        const Part part = partOf(numbers, server, servers);
        shards.push_back({server, part.first, part.count});
    }
    return shards;
}

} // namespace

std::vector<std::vector<Shard>> shardsOf(std::span<const std::size_t> numbers, int servers)
{
    std::vector<std::size_t> loads(static_cast<std::size_t>(servers));
    std::vector<std::vector<Shard>> all;
    for (const std::size_t count : numbers) {
        const auto least = static_cast<int>(std::ranges::min_element(loads) - loads.begin());
        all.push_back(count < kCutNumbers ? std::vector<Shard>{{least, 0, count}} : cut(count, servers));
        for (const Shard& shard : all.back())
            loads[static_cast<std::size_t>(shard.server)] += shard.count;
    }
    return all;
}

} // namespace ringside
