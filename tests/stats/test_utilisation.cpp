// SPDX-License-Identifier: MIT
#include "core/stats/utilisation.h"

#include <doctest/doctest.h>
#include <limits>

using namespace ringside::stats;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

} // namespace

TEST_CASE("A rank's utilisation is over time, however long each reading is")
{
    CHECK(*meanShare({{0, kSecond, 0.6}, {kSecond, 3 * kSecond, 0.9}}) == doctest::Approx(0.8));
    CHECK(*meanShare({{0, kSecond, 0.0}}) == 0);
}

TEST_CASE("Readings that say nothing are left out; without others there is no utilisation")
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    CHECK(*meanShare({{0, kSecond, 0.5}, {kSecond, 9 * kSecond, -1}, {9 * kSecond, 10 * kSecond, kNan}}) ==
          doctest::Approx(0.5));
    CHECK_FALSE(meanShare({{0, kSecond, -1}}));
    CHECK_FALSE(meanShare({{kSecond, kSecond, 0.5}})); // of no time
    CHECK_FALSE(meanShare({}));
}

TEST_CASE("A run's utilisation is the mean of its ranks, and is not known where one's is not")
{
    CHECK(*meanOverRanks({0.8, 0.6}) == doctest::Approx(0.7));
    CHECK_FALSE(meanOverRanks({0.8, std::nullopt}));
    CHECK_FALSE(meanOverRanks({}));
}
