// SPDX-License-Identifier: MIT
#include "core/stats/ratio.h"
#include "core/stats/resampledmedian.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

using namespace ringside::stats;

namespace {
const std::vector<double> kBase = {100, 101, 99, 100.5, 99.5, 100.2};
const std::vector<double> kTwice = {190, 192, 188, 191, 189, 190.5};
} // namespace

TEST_CASE("A speed-up is the ratio of medians, inside its bootstrap interval")
{
    const Ratio ratio = ratioOfMedians(kTwice, kBase);
    CHECK(ratio.value == doctest::Approx(190.25 / 100.1));
    REQUIRE(ratio.interval);
    CHECK(ratio.interval->low < ratio.value);
    CHECK(ratio.interval->high > ratio.value);
    CHECK(ratio.interval->low >= 188.0 / 101);
    CHECK(ratio.interval->high <= 192.0 / 99);
}

TEST_CASE("The interval's ends are those of all resamples, whatever the order of the runs")
{
    const Interval interval = *ratioOfMedians(kTwice, kBase).interval;
    const std::vector<double> turned(kTwice.rbegin(), kTwice.rend());
    CHECK(*ratioOfMedians(turned, kBase).interval == interval);
    // All 21 times 21 pairs of medians with their shares, in order: what the search has to find.
    std::vector<std::pair<double, double>> ratios;
    for (const WeightedValue& above : resampledMedians(kTwice))
        for (const WeightedValue& below : resampledMedians(kBase))
            ratios.emplace_back(above.value / below.value, above.weight * below.weight);
    std::sort(ratios.begin(), ratios.end());
    const auto quantile = [&](double p) {
        double share = 0;
        for (const auto& [ratio, weight] : ratios)
            if ((share += weight) >= p)
                return ratio;
        return 0.0;
    };
    CHECK(interval.low == quantile(0.025));
    CHECK(interval.high == quantile(0.975));
}

TEST_CASE("A difference of medians has the interval of all pairs of resamples, below zero as well")
{
    const std::vector<double> less = {122, 124, 126, 128, 130, 132}, more = {101, 102, 103, 104, 105, 106};
    const Difference difference = differenceOfMedians(less, more), turned = differenceOfMedians(more, less);
    CHECK(difference.value == 127 - 103.5);
    CHECK(*difference.interval == Interval{19, 28});
    CHECK(turned.value == -23.5);
    CHECK(turned.interval->low == doctest::Approx(-28));
    CHECK(turned.interval->high == doctest::Approx(-19));
    CHECK(*differenceOfMedians(more, more).interval == Interval{-2.5, 2.5});
    CHECK_FALSE(differenceOfMedians(less, {101, 102, 103, 104, 105}).interval);
}

// So few of the runs are off that both ends are the difference of those that are not.
TEST_CASE("An end of an interval that is zero is not below zero")
{
    const std::vector<double> spread = {99, 100, 100, 100, 100, 100, 100, 101};
    const Interval interval = *differenceOfMedians(spread, std::vector<double>(6, 100)).interval;
    CHECK(interval == Interval{0, 0});
    CHECK_FALSE(std::signbit(interval.low));
    CHECK_FALSE(std::signbit(interval.high));
}

TEST_CASE("Turned round, a ratio has the turned interval")
{
    const Interval interval = *ratioOfMedians(kTwice, kBase).interval, turned = *ratioOfMedians(kBase, kTwice).interval;
    CHECK(turned.low == doctest::Approx(1 / interval.high));
    CHECK(turned.high == doctest::Approx(1 / interval.low));
}

TEST_CASE("Fewer than six runs on either side give no interval")
{
    const std::vector<double> five(kBase.begin(), kBase.end() - 1);
    CHECK_FALSE(ratioOfMedians(five, kBase).interval);
    CHECK_FALSE(ratioOfMedians(kTwice, five).interval);
    CHECK(ratioOfMedians(five, kBase).value == doctest::Approx(100 / 100.1));
}

TEST_CASE("Efficiency is the speed-up over the ratio of ranks, interval and all")
{
    const Ratio speedup = ratioOfMedians(kTwice, kBase);
    const Ratio efficiency = dividedBy(speedup, 2);
    CHECK(efficiency.value == doctest::Approx(speedup.value / 2));
    CHECK(efficiency.interval->low == doctest::Approx(speedup.interval->low / 2));
    CHECK(efficiency.interval->high == doctest::Approx(speedup.interval->high / 2));
}

TEST_CASE("Runs without any spread give an interval without width")
{
    const Ratio ratio = ratioOfMedians(std::vector<double>(6, 30), std::vector<double>(6, 10));
    CHECK(*ratio.interval == Interval{3, 3});
}
