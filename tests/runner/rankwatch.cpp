// SPDX-License-Identifier: MIT
// A server rank lives as long as it is heard; it has no iterations by which it could be seen to hang.
#include "agent/runner/rankwatch.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::runner;

namespace {

std::int64_t ns(milliseconds time)
{
    return std::chrono::nanoseconds(time).count();
}

/// Writes a heartbeat that says nothing new.
void beat(const fs::path& spool)
{
    SpoolEncoder encoder;
    encoder.add(Heartbeat{1, 0, Phase::other});
    std::ofstream(spool, std::ios::app | std::ios::binary) << encoder.takeBlock();
}

} // namespace

TEST_CASE("a rank that only beats hangs, a server that only beats does not; both are lost in silence")
{
    test::TemporaryFolder folder;
    const fs::path spool = folder / "rank-2.spool";
    std::ofstream(spool, std::ios::binary)
        << SpoolEncoder::encodeHeader({FileId::random(), RunId::random(), 1, 0, 1, "alder", 0, 0});
    const Limits limits;
    RankWatch rank(spool, 0, true), server(spool, 0, false);
    const std::int64_t step = ns(limits.silence) / 2;
    std::int64_t now = 0;
    for (; now < ns(limits.startUp) + 2 * step; now += step) {
        beat(spool);
        rank.look(now);
        server.look(now);
        REQUIRE(server.health(now, 0, limits) == RankHealth::well);
    }
    CHECK(rank.health(now, 0, limits) == RankHealth::hung);
    now += 3 * step;
    CHECK(rank.health(now, 0, limits) == RankHealth::silent);
    CHECK(server.health(now, 0, limits) == RankHealth::silent);
}
