// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/latetrace.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kMinute = 60'000 * kMs;

/// Iterations of 100 ms; the all-reduce begins after `computeMs`, on a clock that is so much ahead of rank 0's.
Sample iteration(std::uint32_t seq, std::int64_t computeMs, std::int64_t aheadNs)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = seq * 100 * kMs + aheadNs;
    sample.phases[static_cast<std::size_t>(Phase::backward)] = computeMs * kMs;
    sample.phases[static_cast<std::size_t>(Phase::commExposed)] = (100 - computeMs) * kMs;
    return sample;
}

/// Three ranks, of which the last is 7 ms late and its host's clock five minutes ahead.
LateTrace traced(std::uint32_t iterations)
{
    LateTrace trace(3);
    for (std::uint32_t seq = 0; seq < iterations; ++seq) {
        trace.add(0, iteration(seq, 80, 0));
        trace.add(1, iteration(seq, 81, 0));
        trace.add(2, iteration(seq, 87, 5 * kMinute));
    }
    return trace;
}

} // namespace

TEST_CASE("ranks are compared on one clock, once it is known how far theirs are apart")
{
    LateTrace trace = traced(20);
    CHECK(trace.view().iterations.empty());
    trace.addClock(0, {0, 0, 0});
    trace.addClock(1, {0, 0, 0});
    CHECK(trace.view().iterations.empty());
    trace.addClock(2, {5 * kMinute, -5 * kMinute, 1000});
    const LateView view = trace.view();
    REQUIRE(view.iterations.size() == 20);
    CHECK(view.firstSeq == 0);
    CHECK(view.lastSeq == 19);
    CHECK(view.iterations.back().ns == std::vector<std::int64_t>{0, kMs, 7 * kMs});
    CHECK(view.iterations.back().iterationNs == 100 * kMs);
    REQUIRE(view.named);
    CHECK(view.named->rank == 2);
    CHECK(view.named->ns == 7 * kMs);
}

TEST_CASE("where exchange and update have their turns in the forward pass, a rank's own are behind it")
{
    LateTrace trace(2);
    for (std::uint32_t seq = 0; seq < 20; ++seq) // the first waits 10 ms for the second, which computes so much longer
        for (int rank = 0; rank < 2; ++rank) {
            Sample sample = iteration(seq, 100 + 10 * rank, 0);
            sample.startNs = (seq * 110 - (rank == 0 ? 10 : 0)) * kMs;
            sample.phases[static_cast<std::size_t>(Phase::commExposed)] = (rank == 0 ? 10 : 0) * kMs;
            trace.add(rank, sample);
        }
    trace.addClock(0, {0, 0, 0});
    trace.addClock(1, {0, 0, 0});
    const auto behind = trace.view(LateTrace::Exchange::inForward).iterations;
    REQUIRE(behind.size() == 20);
    CHECK(behind.back().ns == std::vector<std::int64_t>{0, 10 * kMs});
}

TEST_CASE("the last sixty iterations are kept, and the same clock may come twice")
{
    LateTrace trace = traced(100);
    LateTrace clocks(3);
    for (int rank = 0; rank < 3; ++rank)
        clocks.addClock(rank, {rank == 2 ? 5 * kMinute : 0, rank == 2 ? -5 * kMinute : 0, 0});
    trace.addClocksOf(clocks);
    trace.addClocksOf(clocks);
    CHECK(trace.view().firstSeq == 40);
    CHECK(trace.view().lastSeq == 99);
    CHECK(trace.view().iterations.size() == LateTrace::kIterations);
}

TEST_CASE("an iteration that a rank has not delivered is not shown, nor does one rank alone have any")
{
    LateTrace trace(2);
    trace.addClock(0, {});
    trace.addClock(1, {});
    for (std::uint32_t seq = 0; seq < 5'000; ++seq)
        trace.add(0, iteration(seq, 80, 0));
    CHECK(trace.view().iterations.empty());
    trace.add(1, iteration(4'999, 85, 0));
    REQUIRE(trace.view().iterations.size() == 1);
    CHECK(trace.view().firstSeq == 4'999);
    LateTrace alone;
    alone.addClock(0, {});
    alone.add(0, iteration(0, 80, 0));
    CHECK(alone.view().iterations.empty());
}

TEST_CASE("ranks that do not report when they had their gradients are not called late")
{
    LateTrace trace(2);
    for (const int rank : {0, 1}) {
        trace.addClock(rank, {0, 0, 0});
        for (std::uint32_t seq = 0; seq < 30; ++seq) {
            Sample sample = iteration(seq, 40 + 20 * rank, 0);
            sample.told = {Phase::backward};
            trace.add(rank, sample);
        }
    }
    CHECK(trace.view().iterations.empty());
    CHECK_FALSE(trace.view().named);
}

TEST_CASE("samples of several iterations call no rank late")
{
    LateTrace trace(2);
    for (const int rank : {0, 1}) {
        trace.addClock(rank, {0, 0, 0});
        for (std::uint32_t seq = 4; seq < 150; seq += 5) {
            Sample sample = iteration(seq, 40 + 20 * rank, 0);
            sample.iterations = 5;
            trace.add(rank, sample);
        }
    }
    CHECK(trace.view().iterations.empty());
}
