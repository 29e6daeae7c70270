// SPDX-License-Identifier: MIT
#include "core/report/numbers.h"

#include <doctest/doctest.h>

using namespace ringside::report;

TEST_CASE("Half the interval keeps two significant digits")
{
    CHECK(decimalsForHalfWidth(39) == 0);
    CHECK(decimalsForHalfWidth(3.9) == 1);
    CHECK(decimalsForHalfWidth(0.24) == 2);
    CHECK(decimalsForHalfWidth(0.011) == 3);
    CHECK(decimalsForHalfWidth(0.0000011) == 3);
    CHECK(decimalsForHalfWidth(0) == 0);
}

TEST_CASE("A column has the decimals that its narrowest interval needs")
{
    CHECK(columnDecimals({{14.41, 14.17, 14.65}, {7.51, 7.40, 7.62}}) == 2);
    CHECK(columnDecimals({{4358, 4319, 4397}, {1986, 1964, 2008}}) == 0);
    CHECK(columnDecimals({{13.27, {}, {}}, {7.51, 7.40, 7.62}}) == 2);
}

TEST_CASE("Without any interval the smallest value keeps three significant digits")
{
    CHECK(columnDecimals({{61.4, {}, {}}, {302, {}, {}}}) == 1);
    CHECK(columnDecimals({{5.8312, {}, {}}}) == 2);
    CHECK(columnDecimals({}) == 0);
    CHECK(columnDecimals({{0.0102, 0.00985, 0.0106}}) == 4);
    CHECK(columnDecimals({{0.000312, {}, {}}}) == 6);
    CHECK(columnDecimals({{14.41, 14.41, 14.410001}}) == 3);
}

TEST_CASE("Group separators are for the screen only")
{
    CHECK(formatNumber(4358.4, 0) == "4358");
    CHECK(formatNumber(4358.4, 1, {","}) == "4,358.4");
    CHECK(formatNumber(1234567, 0, {"."}) == "1.234.567");
    CHECK(formatNumber(-1234.5, 1, {".", ","}) == "-1.234,5");
    CHECK(formatNumber(999, 0, {","}) == "999");
    CHECK(formatRange(14.17, 14.65, 2) == "14.17 – 14.65");
}

TEST_CASE("A number that rounds to nothing has no sign")
{
    CHECK(formatNumber(-0.0004, 3) == "0.000");
    CHECK(formatNumber(-0.0, 0) == "0");
    CHECK(formatNumber(-0.04, 1, {".", ","}) == "0,0");
    CHECK(formatNumber(-0.0006, 3) == "-0.001");
    CHECK(formatRange(-0.0004, 0.002, 3) == "0.000 – 0.002");
}

TEST_CASE("Labels on charts have three digits")
{
    CHECK(formatShort(14.41) == "14.4");
    CHECK(formatShort(7.514) == "7.51");
    CHECK(formatShort(302.4) == "302");
    CHECK(formatShort(4358) == "4358");
    CHECK(formatShort(0) == "0");
}

TEST_CASE("p values")
{
    CHECK(formatP(2.0 / 924) == "p = 0.002");
    CHECK(formatP(0.0000001) == "p < 0.001");
    CHECK(formatP(0.254) == "p = 0.25");
}
