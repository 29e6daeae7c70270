// SPDX-License-Identifier: MIT
// A server rank lives as long as heartbeats come from it; it has no iterations by which it could be seen to hang.
#include "agent/runner/rankwatch.h"
#include "core/base/clock.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fstream>

using namespace ringside;
using namespace ringside::runner;

namespace {

std::int64_t ns(milliseconds time)
{
    return toNs(time);
}

void write(const fs::path& spool, const Record& record)
{
    SpoolEncoder encoder;
    encoder.add(record);
    std::ofstream(spool, std::ios::app | std::ios::binary) << encoder.takeBlock();
}

/// Writes a heartbeat that says nothing new.
void beat(const fs::path& spool)
{
    write(spool, Heartbeat{1, 0, Phase::other});
}

/// A spool that says nothing yet; returns its path.
fs::path beginSpool(const test::TemporaryFolder& folder, std::uint32_t iterations, std::uint32_t ranks = 1,
                    const char* name = "rank-0.spool")
{
    const fs::path spool = folder / name;
    std::ofstream(spool, std::ios::binary)
        << SpoolEncoder::encodeHeader({FileId::random(), RunId::random(), 1, 0, ranks, "alder", iterations, 0});
    return spool;
}

} // namespace

TEST_CASE("a rank that only beats hangs, a server that only beats does not; both are lost in silence")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 0);
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

TEST_CASE("a rank whose spool has a gap counts as alive again once that is filled, and lost if it never is")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 1);
    const Limits limits;
    RankWatch rank(spool, 0);
    beat(spool);
    rank.look(1);
    const std::size_t begin = fs::file_size(spool);
    write(spool, Sample());
    const std::size_t length = fs::file_size(spool) - begin;
    beat(spool);
    const std::string whole = readFile(spool).value();
    std::string gapped = whole;
    std::ofstream(spool, std::ios::binary) << gapped.replace(begin, length, length, '\0');
    const std::int64_t seenNs = ns(limits.silence);
    CHECK_FALSE(rank.look(seenNs));
    CHECK(rank.health(seenNs + 2, 0, limits) == RankHealth::silent);
    SUBCASE("filled")
    {
        std::ofstream(spool, std::ios::binary) << whole;
        CHECK(rank.look(seenNs + 2));
        CHECK(rank.health(seenNs + 2, 0, limits) == RankHealth::well);
        CHECK(rank.isThrough());
        CHECK(rank.host() == "alder");
    }
    SUBCASE("not filled")
    {
        CHECK_FALSE(rank.look(seenNs + 2));
        CHECK(rank.health(seenNs + 2, 0, limits) == RankHealth::silent);
    }
}

TEST_CASE("time in which the runner did not look makes a rank neither silent nor hung; any other does")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 9);
    const Limits limits;
    RankWatch rank(spool, 0), unborn(folder / "rank-1.spool", 0);
    write(spool, Sample());
    rank.look(1);
    const std::int64_t pause = ns(limits.startUp), silent = pause + ns(limits.silence) + 2;
    for (RankWatch* watch : {&rank, &unborn})
        watch->leaveOut(pause);
    CHECK(rank.isHeard());
    CHECK(rank.health(pause + 2, pause, limits) == RankHealth::well);
    CHECK(rank.health(silent, pause, limits) == RankHealth::silent);
    CHECK(unborn.health(pause + 2, {}, limits) == RankHealth::well);
    CHECK_FALSE(unborn.isHeard());
    beat(spool);
    const std::int64_t hung = pause + ns(limits.hung) + 2;
    rank.look(hung);
    CHECK(rank.health(hung - 1, pause, limits) == RankHealth::well);
    CHECK(rank.health(hung, pause, limits) == RankHealth::hung);
}

TEST_CASE("a rank of a system that prints is not hung, unless it has not begun; one that prints nothing is")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 9);
    const Limits limits;
    RankWatch rank(spool, 0);
    std::int64_t now = 1;
    std::uint64_t printed = 0;
    const auto goOn = [&](std::int64_t time, std::uint64_t bytes) {
        for (const std::int64_t end = now + time; now < end; now += ns(limits.silence) / 2) {
            write(spool, Heartbeat{1, 0, Phase::other, Communication{}, printed += bytes});
            rank.look(now);
            if (rank.hasSamples())
                rank.noteOutput(0);
        }
    };
    SUBCASE("before its first iteration")
    {
        goOn(ns(limits.startUp) * 2, 80);
        CHECK(rank.health(now, 0, limits) == RankHealth::hung);
    }
    SUBCASE("behind it")
    {
        write(spool, Sample());
        goOn(ns(limits.hung) * 5, 80); // a validation
        CHECK(rank.health(now, 0, limits) == RankHealth::well);
        CHECK(rank.isStalled(now, limits));
        goOn(ns(limits.hung) * 2, 0);
        CHECK(rank.health(now, 0, limits) == RankHealth::hung);
        rank.noteOutput(now - ns(limits.hung) / 4); // another one prints beside it
        CHECK(rank.health(now, 0, limits) == RankHealth::well);
        rank.noteOutput(0); // that one has gone on
        CHECK(rank.health(now, 0, limits) == RankHealth::well);
        now += ns(limits.hung) / 2;
        write(spool, Heartbeat{1, 0, Phase::other, Communication{}, printed});
        rank.look(now);
        CHECK(rank.health(now, 0, limits) == RankHealth::hung);
    }
}

TEST_CASE("a plan says after how long a rank without progress is hung, and nothing else")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 9);
    const Limits usual, patient = usual.hungAfter(std::chrono::hours(1));
    CHECK(patient.startUp == patient.hung); // a first iteration has no less
    CHECK(patient.silence == usual.silence);
    CHECK(patient.others == usual.others);
    CHECK(usual.scaled(0.1).hungAfter(std::chrono::seconds(120)).hung == usual.hung / 5);
    RankWatch rank(spool, 0);
    write(spool, Sample());
    rank.look(1);
    const auto healthAfter = [&](milliseconds time, const Limits& limits) {
        beat(spool);
        rank.look(ns(time));
        return rank.health(ns(time), 0, limits);
    };
    const auto minute = std::chrono::minutes(1);
    CHECK(healthAfter(2 * minute, usual) == RankHealth::hung);
    CHECK(healthAfter(59 * minute, patient) == RankHealth::well);
    CHECK(healthAfter(61 * minute, patient) == RankHealth::hung);
    CHECK(RankWatch(folder / "none", 0).health(ns(2 * minute), 0, patient) == RankHealth::silent);
}

TEST_CASE("the first iteration is progress after a start that took longer than any iteration may")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 9);
    const Limits limits;
    RankWatch rank(spool, 0);
    beat(spool);
    rank.look(1);
    const std::int64_t now = 3 * ns(limits.hung);
    write(spool, Sample()); // of iteration 0, which heartbeats have named all along
    rank.look(now);
    CHECK(rank.health(now, 1, limits) == RankHealth::well);
    CHECK_FALSE(rank.isStalled(now, limits));
    beat(spool);
    rank.look(now + 2 * ns(limits.hung));
    CHECK(rank.health(now + 2 * ns(limits.hung), 1, limits) == RankHealth::hung);
}

TEST_CASE("how a rank stands to the others is what its last heartbeat says")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 9, 2);
    RankWatch rank(spool, 0);
    write(spool, Heartbeat{1, 3, Phase::forward, Communication{7, false}});
    const Heartbeat last{2, 3, Phase::commExposed, Communication{8, true}};
    write(spool, last);
    rank.look(1);
    CHECK(rank.standing() == last);
}

TEST_CASE("a rank that is through waits as long as another one gets on, and hangs with it")
{
    test::TemporaryFolder folder;
    constexpr std::uint32_t kIterations = 2;
    const fs::path spool = beginSpool(folder, kIterations, 2);
    const Limits limits;
    RankWatch rank(spool, 0);
    std::int64_t now = 1, other = 0;
    for (std::uint32_t seq = 0; seq < kIterations; ++seq) {
        Sample sample;
        sample.seq = seq;
        sample.phases[0] = 1;
        rank.waitForOthers(ns(limits.hung));
        CHECK(rank.progressNs() < ns(limits.hung)); // it is not through
        write(spool, sample);
        rank.look(now);
    }
    const std::int64_t step = ns(limits.silence) / 2;
    for (; now < 3 * ns(limits.hung); now += step) {
        beat(spool);
        rank.look(now);
        other = now;
        rank.waitForOthers(other);
        REQUIRE(rank.health(now, 0, limits) == RankHealth::well);
    }
    for (; now <= other + ns(limits.hung) + step; now += step) {
        beat(spool);
        rank.look(now);
        rank.waitForOthers(other);
    }
    CHECK(rank.health(now, 0, limits) == RankHealth::hung);
}

TEST_CASE("lines of several iterations are counted by what they cover; a rank that prints none waits for one that does")
{
    test::TemporaryFolder folder;
    const fs::path spool = beginSpool(folder, 120, 2), silent = beginSpool(folder, 120, 2, "rank-1.spool");
    const Limits limits;
    RankWatch prints(spool, 0), printsNothing(silent, 0);
    Sample sample;
    std::int64_t now = 1;
    beat(silent);
    printsNothing.look(now);
    for (const std::uint32_t seq : {49u, 99u, 119u}) {
        sample.iterations = seq == 119 ? 20 : 50;
        sample.seq = seq;
        sample.phases[0] = sample.iterations * ns(limits.hung) / 50; // a minute a line: nothing is to be seen meanwhile
        CHECK_FALSE(prints.isThrough());
        write(spool, sample);
        now += 2 * ns(limits.hung);
        for (RankWatch* rank : {&prints, &printsNothing})
            rank->look(now);
        CHECK(prints.iterations() == seq + 1);
        CHECK(prints.reportsByLines());
    }
    CHECK(prints.isThrough());
    now += 5 * ns(limits.hung);
    beat(spool);
    prints.look(now);
    CHECK(prints.health(now, 0, limits) == RankHealth::well); // ten of its lines may pass
    now = ns(limits.startUp) + ns(limits.hung);
    beat(silent);
    printsNothing.look(now);
    CHECK(printsNothing.health(now, 0, limits) == RankHealth::hung);
    printsNothing.waitForOthers(now, false);
    CHECK(printsNothing.health(now, 0, limits) == RankHealth::hung);
    printsNothing.waitForOthers(now, true);
    CHECK(printsNothing.health(now, 0, limits) == RankHealth::well);
}
