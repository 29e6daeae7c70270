// SPDX-License-Identifier: MIT
#include "agent/worker/plans/servers/shards.h"

#include <doctest/doctest.h>

using namespace ringside;
using Shards = std::vector<std::vector<Shard>>;

namespace {

Shards of(std::vector<std::size_t> numbers, int servers)
{
    return shardsOf(numbers, servers);
}

} // namespace

TEST_CASE("a unit goes to the server that holds the least")
{
    CHECK(of({10, 4, 3, 5, 1}, 2) == Shards{{{0, 0, 10}}, {{1, 0, 4}}, {{1, 0, 3}}, {{1, 0, 5}}, {{0, 0, 1}}});
    CHECK(of({7, 8}, 1) == Shards{{{0, 0, 7}}, {{0, 0, 8}}});
}

TEST_CASE("a large unit is cut evenly over all servers")
{
    CHECK(of({5, kCutNumbers + 1, 6}, 2) == Shards{{{0, 0, 5}}, {{0, 0, 500'001}, {1, 500'001, 500'000}}, {{1, 0, 6}}});
    CHECK(of({kCutNumbers - 1}, 2) == Shards{{{0, 0, kCutNumbers - 1}}});
    CHECK(of({kCutNumbers}, 1) == Shards{{{0, 0, kCutNumbers}}});
}
