// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/throughputtrace.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;

namespace {

Sample iteration(std::uint32_t seq, double seconds, std::uint32_t items)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = static_cast<std::int64_t>(seq * seconds * 1e9);
    sample.phases[static_cast<std::size_t>(Phase::forward)] = static_cast<std::int64_t>(seconds * 1e9);
    sample.items = items;
    return sample;
}

} // namespace

TEST_CASE("an iteration counts once every rank has delivered it, by the slowest")
{
    ThroughputTrace trace(2);
    trace.add(0, iteration(0, 0.5, 16));
    CHECK(!trace.now());
    trace.add(1, iteration(0, 0.8, 16));
    CHECK(trace.now() == doctest::Approx(32 / 0.8));
    CHECK(trace.lastIteration() == 0u);
}

TEST_CASE("a second is one point with its median, lowest and highest rate")
{
    ThroughputTrace trace;
    trace.add(0, iteration(0, 0.25, 10)); // 40/s
    trace.add(0, iteration(1, 0.50, 10)); // 20/s
    trace.add(0, iteration(2, 0.25, 15)); // 60/s: the second is full
    trace.add(0, iteration(3, 0.25, 10)); // begins the next
    const auto points = trace.points(100);
    REQUIRE(points.size() == 2);
    CHECK(points[0] == TracePoint{2, 20, 40, 60});
    CHECK(points[1].median == doctest::Approx(40));
}

TEST_CASE("a run shorter than a second shows its iterations, not one dot")
{
    ThroughputTrace trace;
    for (std::uint32_t seq = 3; seq < 7; ++seq)
        trace.add(0, iteration(seq, 0.1, seq));
    const auto points = trace.points(100);
    REQUIRE(points.size() == 4);
    CHECK(points[0].iteration == 3);
    CHECK(points[0].median == doctest::Approx(30));
    CHECK(points[3].iteration == 6);
    CHECK(points[3].median == doctest::Approx(60));
}

TEST_CASE("points never outnumber pixel columns, and keep the extremes")
{
    ThroughputTrace trace;
    for (std::uint32_t seq = 0; seq < 5000; ++seq)
        trace.add(0, iteration(seq, 1.0, seq == 2500 ? 900 : 100));
    const auto points = trace.points(300);
    CHECK(points.size() == 300);
    double highest = 0;
    for (const TracePoint& point : points)
        highest = std::max(highest, point.high);
    CHECK(highest == doctest::Approx(900));
    CHECK(points.back().iteration == 4999);
}

TEST_CASE("since warm-up is work over time of the longest rank, without the warm-up")
{
    ThroughputTrace trace(1, 2);
    trace.add(0, iteration(0, 5.0, 10));
    trace.add(0, iteration(1, 5.0, 10));
    CHECK(!trace.sinceWarmup());
    for (std::uint32_t seq = 2; seq < 6; ++seq)
        trace.add(0, iteration(seq, 0.5, 10));
    CHECK(*trace.sinceWarmup() == doctest::Approx(20));
}

TEST_CASE("since warm-up counts what was done before the samples that are shown")
{
    ThroughputTrace whole(1, 2), reopened(1, 2);
    std::uint64_t earlier = 0;
    std::int64_t begin = 0, length = 0;
    for (std::uint32_t seq = 0; seq < 100; ++seq) {
        Sample sample = iteration(seq, seq < 50 ? 2.0 : 0.5, 10); // it became faster
        sample.startNs = seq < 50 ? seq * 2'000'000'000ll : 100'000'000'000 + (seq - 50) * 500'000'000ll;
        whole.add(0, sample);
        if (seq >= 60)
            continue;
        begin = seq == 2 ? sample.startNs : begin;
        earlier += seq >= 2 ? sample.items : 0;
        length += seq >= 2 ? sample.lengthNs() : 0;
    }
    reopened.addEarlier(0, earlier, begin, length);
    for (std::uint32_t seq = 60; seq < 100; ++seq) {
        Sample sample = iteration(seq, 0.5, 10);
        sample.startNs = 100'000'000'000 + (seq - 50) * 500'000'000ll;
        reopened.add(0, sample);
    }
    CHECK(*reopened.sinceWarmup() == doctest::Approx(*whole.sinceWarmup()));
    CHECK(*whole.sinceWarmup() == doctest::Approx(980 / 121.0));
}

TEST_CASE("a point says how many seconds it covers")
{
    ThroughputTrace trace;
    CHECK(trace.secondsPerPoint(300) == 1);
    for (std::uint32_t seq = 0; seq < 5000; ++seq)
        trace.add(0, iteration(seq, 1.0, 100));
    CHECK(trace.secondsPerPoint(5000) == 1);
    CHECK(trace.secondsPerPoint(300) == 17);
}

TEST_CASE("a silent rank does not make the others pile up")
{
    ThroughputTrace trace(2);
    for (std::uint32_t seq = 0; seq < 100'000; ++seq)
        trace.add(0, iteration(seq, 0.01, 1));
    CHECK(!trace.now());
    trace.add(1, iteration(99'999, 0.01, 1));
    CHECK(trace.now());
}

namespace {

/// 50 iterations until `seq` of so many seconds each, with 32 items in each.
Sample interval(std::uint32_t seq, double seconds, std::uint32_t ofRanks = 1)
{
    Sample sample = iteration(seq, 50 * seconds, 50 * 32 * ofRanks);
    sample.iterations = 50;
    sample.ofRanks = ofRanks;
    return sample;
}

} // namespace

TEST_CASE("a sample of several iterations is one rate, and the time between such samples belongs to none")
{
    ThroughputTrace trace(2, 3);
    for (const std::uint32_t seq : {49u, 99u, 149u}) {
        trace.add(0, interval(seq, 0.010));
        CHECK(trace.now().has_value() == (seq > 49));
        Sample slower = interval(seq, 0.020);
        slower.startNs += seq == 149 ? 60'000'000'000 : 0; // a test before it
        trace.add(1, slower);
        CHECK(*trace.now() == doctest::Approx(64 / 0.020));
        CHECK(trace.sinceWarmup().has_value() == (seq > 49)); // the first begins within the warm-up
    }
    CHECK(*trace.sinceWarmup() == doctest::Approx(64 / 0.020));
    const auto points = trace.points(10);
    REQUIRE(points.size() == 3);
    CHECK(points[0].iteration == 49);
    CHECK(points[2].iteration == 149);
}

TEST_CASE("iterations that ranks report in other pieces are not set beside each other")
{
    ThroughputTrace trace(2);
    trace.add(0, interval(49, 0.010));
    trace.add(1, iteration(49, 0.010, 32));
    CHECK_FALSE(trace.now());
}

TEST_CASE("a number of all ranks is theirs whether one prints it or each, and one rank's own is not")
{
    ThroughputTrace one(2), each(2), own(2);
    one.add(0, interval(49, 0.010, 2));
    each.add(0, interval(49, 0.010, 2));
    each.add(1, interval(49, 0.010, 2));
    own.add(0, interval(49, 0.010));
    for (const ThroughputTrace* trace : {&one, &each}) {
        CHECK(*trace->now() == doctest::Approx(64 / 0.010));
        CHECK(*trace->sinceWarmup() == doctest::Approx(64 / 0.010));
    }
    CHECK_FALSE(own.now());
    CHECK_FALSE(own.sinceWarmup());
}

TEST_CASE("samples that are missing take no time, whether lost on their way or never sent")
{
    ThroughputTrace trace;
    for (const std::uint32_t seq : {0u, 10u, 20u})
        trace.add(0, iteration(seq, 0.5, 16));
    CHECK(*trace.sinceWarmup() == doctest::Approx(32));
}

TEST_CASE("there is no rate since warm-up until all ranks have delivered a sample, however late they come")
{
    ThroughputTrace trace(2);
    for (const std::uint32_t seq : {0u, 1u})
        trace.add(0, iteration(seq, 0.5, 16));
    CHECK_FALSE(trace.sinceWarmup());
    for (const std::uint32_t seq : {0u, 1u})
        trace.add(1, iteration(seq, 0.5, 16));
    CHECK(*trace.sinceWarmup() == doctest::Approx(64));
}
