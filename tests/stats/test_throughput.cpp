// SPDX-License-Identifier: MIT
#include "core/stats/disturbed.h"
#include "core/stats/throughput.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

using namespace ringside::stats;

TEST_CASE("A run's throughput is the items of all ranks over the longest rank's time")
{
    CHECK(*runThroughput({{160, 2'000'000'000}}, 1) == doctest::Approx(80));
    CHECK(*runThroughput({{160, 2'000'000'000}, {160, 2'500'000'000}}, 2) == doctest::Approx(128));
}

TEST_CASE("Ranks that report for one another share their items; what no rank reports is not known")
{
    const auto lines = [](std::uint32_t ofRanks) { return RankWork{800, 2'000'000'000, true, ofRanks}; };
    CHECK(*runThroughput({lines(1), lines(1)}, 2) == doctest::Approx(800));
    CHECK(*runThroughput({lines(2), lines(2)}, 2) == doctest::Approx(400)); // each prints the number of both
    CHECK(*runThroughput({lines(2)}, 2) == doctest::Approx(400));
    CHECK(*runThroughput({lines(4), lines(4)}, 8) == doctest::Approx(800)); // the first rank of each of two nodes
    CHECK_FALSE(runThroughput({lines(1)}, 2));
    CHECK_FALSE(runThroughput({{800, 2'000'000'000}}, 2)); // nor of single iterations
}

TEST_CASE("A rank of which iterations are missing did them like those that are known, where all do as many")
{
    const auto work = [](std::uint64_t items, std::int64_t lengthNs, std::uint32_t iterations) {
        return RankWork{items, lengthNs, iterations < 10, 1, iterations};
    };
    CHECK(*runThroughput({work(160, 2'000'000'000, 10), work(160, 2'000'000'000, 10)}, 2) == doctest::Approx(160));
    CHECK(*runThroughput({work(160, 2'000'000'000, 10), work(128, 1'600'000'000, 8)}, 2) == doctest::Approx(160));
    CHECK(*runThroughput({work(160, 2'000'000'000, 10), work(128, 2'000'000'000, 8)}, 2) == doctest::Approx(128));
    CHECK(*runThroughput({work(160, 2'000'000'000, 0), work(128, 2'000'000'000, 0)}, 2) == doctest::Approx(144));
}

TEST_CASE("There is no throughput without ranks or without time")
{
    CHECK_FALSE(runThroughput({}, 1));
    CHECK_FALSE(runThroughput({{160, 0}}, 1));
}

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Readings of these values, one each `lengthNs`.
template <class Value> Readings<Value> every(std::int64_t lengthNs, const std::vector<Value>& values)
{
    Readings<Value> readings;
    for (std::int64_t at = 0; const Value value : values) {
        readings.push_back({at, at + lengthNs, value});
        at += lengthNs;
    }
    return readings;
}

bool isShared(const std::vector<std::int64_t>& values)
{
    return isGpuShared(every(kSecond, values));
}

bool isSlow(const std::vector<std::int64_t>& values)
{
    return throttleReasons(every(kSecond, values)) != 0;
}

double mostOf(const std::vector<double>& values, std::int64_t lengthNs = kSecond)
{
    return foreignShare(every(lengthNs, values)).value();
}

} // namespace

TEST_CASE("A GPU is shared or throttled when its readings say so for five seconds")
{
    CHECK_FALSE(isShared({}));
    CHECK_FALSE(isSlow({}));
    CHECK_FALSE(isShared({0, 1, 1, 1, 1, 0, 1}));
    CHECK(isShared({0, 1, 2, 1, 1, 1, 0}));
    CHECK(isShared({1, 1})); // all there are
    CHECK_FALSE(isShared({kUnknownProcesses, kUnknownProcesses}));
    CHECK_FALSE(isSlow(std::vector<std::int64_t>(60, 0x1 | 0x4))); // idle, and at its power limit
    for (const std::int64_t reason : {0x08, 0x20, 0x40, 0x80}) {
        CHECK(isSlow({0, reason, reason, reason | 0x4, reason, reason, 0}));
        CHECK_FALSE(isSlow({0, reason, reason, 0x4, reason, reason, 0}));
    }
    CHECK(throttleReasons(every<std::int64_t>(kSecond, {0x20, 0x20, 0x44, 0x20, 0x120})) == 0x60); // and no other bits
}

TEST_CASE("At ten readings a second, five of them are no five seconds")
{
    std::vector<std::int64_t> others(100, 0);
    std::fill_n(others.begin() + 10, 20, 1);
    CHECK_FALSE(isGpuShared(every(kSecond / 10, others)));
    std::fill_n(others.begin() + 10, 50, 1);
    CHECK(isGpuShared(every(kSecond / 10, others)));

    std::vector<double> shares(100, 0.01);
    std::fill_n(shares.begin() + 50, 5, 0.5);
    CHECK(mostOf(shares, kSecond / 10) <= kForeignShareLimit);
    std::fill_n(shares.begin() + 50, 50, 0.5);
    CHECK(mostOf(shares, kSecond / 10) > kForeignShareLimit);
}

TEST_CASE("Other load disturbs an attempt when it lasts")
{
    CHECK_FALSE(foreignShare({}));
    CHECK(mostOf(std::vector<double>(60, 0.05)) <= kForeignShareLimit);
    CHECK(mostOf(std::vector<double>(60, 0.11)) > kForeignShareLimit);
    SUBCASE("a blip of one second does not count")
    {
        std::vector<double> shares(60, 0.01);
        shares[30] = 0.4;
        CHECK(mostOf(shares) <= kForeignShareLimit);
    }
    SUBCASE("five busy seconds do, wherever they are")
    {
        std::vector<double> shares(60, 0);
        for (std::size_t i = 55; i < 60; ++i)
            shares[i] = 0.2;
        CHECK(mostOf(shares) == doctest::Approx(0.2));
    }
}

TEST_CASE("A short attempt is judged by all its readings, and readings that are none are skipped")
{
    CHECK(mostOf({0.3, 0.1}) == doctest::Approx(0.2));
    CHECK(mostOf({0.05, -1, std::nan("")}) == doctest::Approx(0.05));
    CHECK_FALSE(foreignShare(every<double>(kSecond, {-1, -1})));
}

TEST_CASE("A canary is unusual beyond four robust deviations of what was read before")
{
    CHECK_FALSE(usualLimits({100, 101, 102, 103}));
    CHECK_FALSE(usualLimits({100, 100, 100, 100, 90}));
    const auto limits = usualLimits({100, 102, 104, 106, 300}); // the stray one moves nothing
    REQUIRE(limits);
    CHECK(limits->usual == 104);
    CHECK(limits->high == doctest::Approx(104 + 4 * 1.4826 * 2));
    CHECK(limits->low == doctest::Approx(104 - 4 * 1.4826 * 2));
    CHECK(limits->contain(115));
    CHECK_FALSE(limits->contain(116));
    CHECK_FALSE(limits->contain(92));
}
