// SPDX-License-Identifier: MIT
#include "core/stats/ranksum.h"

#include <doctest/doctest.h>

using ringside::stats::rankSumP;

TEST_CASE("Six runs that are all slower than six others: p = 2 / C(12, 6)")
{
    CHECK(rankSumP({1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}) == doctest::Approx(2.0 / 924));
    CHECK(rankSumP({7, 8, 9, 10, 11, 12}, {1, 2, 3, 4, 5, 6}) == doctest::Approx(2.0 / 924));
}

TEST_CASE("Small cases are those of R's wilcox.test")
{
    CHECK(rankSumP({0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, {1.15, 0.88, 0.9, 0.74, 1.21}) ==
          doctest::Approx(0.2544).epsilon(0.001));
    CHECK(rankSumP({1, 2, 3}, {4, 5, 6}) == doctest::Approx(0.1));
}

TEST_CASE("Ties are counted out over mid-ranks")
{
    CHECK(rankSumP({1, 1, 1}, {1, 1, 1}) == doctest::Approx(1));
    // Of the 6 ways to deal the mid-ranks 1, 2.5, 2.5, 4 to two and two, the two with sums 3.5 count, and those
    // with 6.5.
    CHECK(rankSumP({1, 2}, {2, 3}) == doctest::Approx(4.0 / 6));
}

TEST_CASE("An empty side claims nothing")
{
    CHECK(rankSumP({}, {1, 2}) == 1);
}

TEST_CASE("Many values use the normal approximation, which agrees with the exact count where both can be had")
{
    std::vector<double> a, b, more;
    for (int i = 0; i < 30; ++i) {
        a.push_back(i);
        b.push_back(i + 6.5);
        more.push_back(i + 6.5);
    }
    const double exact = rankSumP(a, b);
    more.push_back(21.25);
    const double approximate = rankSumP(a, more);
    CHECK(exact == doctest::Approx(approximate).epsilon(0.15));
    CHECK(exact < 0.05);
}
