// SPDX-License-Identifier: MIT
// The process to blame where several have stopped: the one that does not wait for the others.
#include "agent/runner/hungrank.h"
#include "agent/runner/verdict.h"

#include <csignal>
#include <doctest/doctest.h>
#include <vector>

using namespace ringside;
using runner::hungRank;
using runner::Stalled;

namespace {

Stalled waiting(int process, std::uint64_t entered, Phase phase = Phase::commExposed)
{
    return {process, true, phase, Communication{entered, true}};
}

Stalled busy(int process, std::uint64_t entered, Phase phase)
{
    return {process, true, phase, Communication{entered, false}};
}

Stalled server(int process, bool waits)
{
    return {process, false, Phase::other, Communication{99, waits}};
}

} // namespace

TEST_CASE("the rank that does not wait is to blame, wherever it stands among those that do")
{
    for (const Phase phase : {Phase::inputWait, Phase::h2d, Phase::forward, Phase::backward, Phase::update}) {
        CHECK(hungRank(std::vector{waiting(0, 7), waiting(1, 7), busy(2, 6, phase)}) == 2);
        CHECK(hungRank(std::vector{waiting(0, 7), busy(1, 6, phase), waiting(2, 7)}) == 1);
    }
}

TEST_CASE("a rank whose own communication has stopped waits for no other, though its computation does")
{
    CHECK(hungRank(std::vector{waiting(0, 7), busy(1, 6, Phase::commExposed)}) == 1);
}

TEST_CASE("where all wait the rank that is behind the others is to blame, and none where none is behind")
{
    CHECK(hungRank(std::vector{waiting(0, 8), waiting(1, 7), waiting(2, 8)}) == 1);
    CHECK_FALSE(hungRank(std::vector{waiting(0, 8), waiting(1, 8)}));
    CHECK_FALSE(hungRank({}));
}

TEST_CASE("one that has stopped alone is to blame, whatever it waits for")
{
    CHECK(hungRank(std::vector{waiting(3, 7)}) == 3);
}

TEST_CASE("a server that does not wait is to blame, unless a rank computes")
{
    CHECK(hungRank(std::vector{waiting(0, 7), waiting(1, 7), server(2, false)}) == 2);
    CHECK(hungRank(std::vector{waiting(0, 7), busy(1, 6, Phase::forward), server(2, false)}) == 1);
    CHECK(hungRank(std::vector{waiting(0, 7), busy(1, 6, Phase::forward), server(2, true)}) == 1);
}

TEST_CASE("of workers that do not report whether they wait the phase shows it")
{
    const Stalled exchanges{0, true, Phase::commExposed}, computes{1, true, Phase::backward};
    CHECK(hungRank(std::vector{exchanges, computes}) == 1);
}

TEST_CASE("a program that prints all the time, and no iteration, is not hung: nothing reads its lines")
{
    runner::Evidence evidence;
    evidence.stop = runner::StopReason::hungRank;
    evidence.ranks = {std::nullopt};
    evidence.blamedRank = 0;
    evidence.blamedFor = std::chrono::seconds(900);
    evidence.blamedPhase = Phase::other;
    evidence.told = 0;
    evidence.talked = true;
    const runner::Verdict talks = judge(evidence);
    CHECK(talks.cause == Cause::settings);
    CHECK(talks.reason == because(why::kNoIterations, {{"program", "ringside"}, {"seconds", 900}}));
    evidence.talked = false; // no phase of an iteration either, whose remedy is one for later
    CHECK(judge(evidence).reason == because(why::kHung, {{"rank", 0}, {"seconds", 900}}));
    evidence.told = 3;
    CHECK(judge(evidence).reason.word("phase") == "other");
}

TEST_CASE("the last line of a process that a signal ended is in its reason, and of Ringside's own where it failed")
{
    const auto saidBy = [](int signal) {
        runner::Evidence evidence;
        evidence.ranks = {runner::RankExit{}};
        evidence.ranks[0]->signal = signal;
        evidence.ranksSaid = {"Fatal error"};
        return judge(evidence).reason.word("said");
    };
    CHECK(saidBy(SIGABRT) == "Fatal error");
    CHECK(saidBy(SIGKILL).empty());
}
