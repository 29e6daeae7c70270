// SPDX-License-Identifier: MIT
#include "core/stats/disturbed.h"
#include "core/stats/throughput.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace ringside::stats;

TEST_CASE("A run's throughput is the items of all ranks over the longest rank's time")
{
    CHECK(*runThroughput({{160, 2'000'000'000}}) == doctest::Approx(80));
    CHECK(*runThroughput({{160, 2'000'000'000}, {160, 2'500'000'000}}) == doctest::Approx(128));
}

TEST_CASE("There is no throughput without ranks or without time")
{
    CHECK_FALSE(runThroughput({}));
    CHECK_FALSE(runThroughput({{160, 0}}));
}

TEST_CASE("A GPU is shared or throttled when its readings say so for five seconds")
{
    CHECK_FALSE(isGpuShared({}));
    CHECK_FALSE(isThrottled({}));
    CHECK_FALSE(isGpuShared({0, 1, 1, 1, 1, 0, 1}));
    CHECK(isGpuShared({0, 1, 2, 1, 1, 1, 0}));
    CHECK(isGpuShared({1, 1}));                                          // all there are
    CHECK_FALSE(isThrottled(std::vector<std::uint64_t>(60, 0x1 | 0x4))); // idle, and at its power limit
    for (const std::uint64_t reason : {0x08, 0x20, 0x40, 0x80}) {
        CHECK(isThrottled({0, reason, reason, reason | 0x4, reason, reason, 0}));
        CHECK_FALSE(isThrottled({0, reason, reason, 0x4, reason, reason, 0}));
    }
}

TEST_CASE("Other load disturbs an attempt when it lasts")
{
    CHECK(foreignShare({}) <= kForeignShareLimit);
    CHECK(foreignShare(std::vector<float>(60, 0.05F)) <= kForeignShareLimit);
    CHECK(foreignShare(std::vector<float>(60, 0.11F)) > kForeignShareLimit);
    SUBCASE("a blip of one second does not count")
    {
        std::vector<float> shares(60, 0.01F);
        shares[30] = 0.4F;
        CHECK(foreignShare(shares) <= kForeignShareLimit);
    }
    SUBCASE("five busy seconds do, wherever they are")
    {
        std::vector<float> shares(60, 0);
        for (std::size_t i = 55; i < 60; ++i)
            shares[i] = 0.2F;
        CHECK(foreignShare(shares) > kForeignShareLimit);
    }
}

TEST_CASE("A short attempt is judged by all its readings, and readings that are none are skipped")
{
    CHECK(foreignShare({0.3F, 0.1F}) > kForeignShareLimit);
    CHECK(foreignShare({0.05F, -1, std::nanf("")}) <= kForeignShareLimit);
}

TEST_CASE("A canary is off by more than a tenth of what was calibrated, slower or faster")
{
    CHECK_FALSE(offCalibration(91, 100));
    CHECK_FALSE(offCalibration(109, 100));
    CHECK(*offCalibration(89, 100) == doctest::Approx(-0.11));
    CHECK(*offCalibration(150, 100) == doctest::Approx(0.5));
    CHECK_FALSE(offCalibration(0, 100)); // this rank did not read
    CHECK_FALSE(offCalibration(100, 0));
}
