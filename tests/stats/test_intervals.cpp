// SPDX-License-Identifier: MIT
#include "core/stats/interval.h"
#include "core/stats/quantile.h"

#include <doctest/doctest.h>

using namespace ringside::stats;

TEST_CASE("Quantiles interpolate between order statistics, from the lowest to the highest value")
{
    const std::vector<double> values = {30, 10, 40, 20};
    CHECK(quantile(values, 0) == 10);
    CHECK(quantile(values, 1) == 40);
    CHECK(quantile(values, 0.5) == 25);
    CHECK(quantile(values, 0.95) == doctest::Approx(38.5));
    CHECK(quantile({7}, 0) == 7);
    CHECK(quantile({7}, 1) == 7);
}

TEST_CASE("The median is the middle value or the mean of the two middle ones")
{
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 3, 2}) == 2.5);
    CHECK(mean({1, 2, 6}) == 3);
}

TEST_CASE("Ranks of the median's 95 % interval are the binomial ones")
{
    // Tabulated in Le Boudec, Performance Evaluation of Computer and Communication Systems, table A.1.
    struct Row
    {
        int n, low, high;
    };
    for (const Row& row :
         {Row{6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {15, 4, 12}, {20, 6, 15}, {30, 10, 21}}) {
        const auto ranks = medianRanks(row.n);
        REQUIRE(ranks);
        CHECK(ranks->low == row.low);
        CHECK(ranks->high == row.high);
    }
}

TEST_CASE("Below six runs there is no 95 % interval")
{
    for (int n = 0; n < kLeastRuns; ++n)
        CHECK_FALSE(medianRanks(n));
    CHECK_FALSE(medianInterval({1, 2, 3, 4, 5}));
}

TEST_CASE("The interval of six values reaches from the lowest to the highest, of twenty from the 6th to the 15th")
{
    CHECK(*medianInterval({5, 3, 6, 1, 2, 4}) == Interval{1, 6});
    std::vector<double> twenty;
    for (int i = 20; i >= 1; --i)
        twenty.push_back(i);
    CHECK(*medianInterval(twenty) == Interval{6, 15});
}
