// SPDX-License-Identifier: MIT
#include "core/logs/stamp.h"

#include <doctest/doctest.h>

using namespace ringside::logs;

namespace {

double between(std::string_view earlier, std::string_view later)
{
    const auto first = findStamp(earlier);
    const auto second = findStamp(later);
    REQUIRE(first);
    REQUIRE(second);
    return secondsBetween(*first, *second);
}

} // namespace

TEST_CASE("stamps of loggers are read, with as many digits as they have")
{
    CHECK(between("I20261121 08:43:44.803 1 solver.cpp:239] a", "I20261121 08:43:45.003 1 solver.cpp:239] b") ==
          doctest::Approx(0.2));
    CHECK(between("2026-11-21 08:43:44,123 INFO a", "2026-11-21T08:43:46.123Z b") == doctest::Approx(2));
    CHECK(between("INFO 2026-11-21 23:59:59", "[2026-11-22 00:00:01]") == doctest::Approx(2));
    CHECK(findStamp("I0404 16:54:47.249 x")->halfStep == doctest::Approx(0.0005));
    CHECK(findStamp("2026-11-21 08:43:44 x")->halfStep == doctest::Approx(0.5));
}

TEST_CASE("a date without a year may pass New Year, and the 29th of February")
{
    CHECK(between("I1231 23:59:59.500 x", "I0101 00:00:00.500 x") == doctest::Approx(1));
    CHECK(between("I0228 23:59:59.000 x", "I0229 00:00:00.000 x") == doctest::Approx(1));
    CHECK(between("I0229 23:59:59.000 x", "I0301 00:00:00.000 x") == doctest::Approx(1));
    CHECK(between("I0228 23:59:59.000 x", "I0301 00:00:00.000 x") == doctest::Approx(1)); // three years of four
    CHECK(between("I20240228 23:59:59.000 x", "I20240301 00:00:00.000 x") == doctest::Approx(86'401));
}

TEST_CASE("stamps of what carries the output name months, and a time without a date may pass midnight")
{
    CHECK(between("Nov 30 23:59:58 a", "Dec  1 00:00:01 b") == doctest::Approx(3));
    CHECK(between("Dec 31 23:59:58.25 node7 python[12]: a", "Jan  1 00:00:01.75 node7 python[12]: b") ==
          doctest::Approx(3.5));
    CHECK(between("Wed Jun  5 10:00:00 2019[1,1]<stderr>:a", "Thu Jun  6 10:00:02 2019[1,1]<stderr>:b") ==
          doctest::Approx(86'402));
    CHECK(between("[23:59:59.5] a", "[00:00:01.5] b") == doctest::Approx(2));
    CHECK(between("[10:00:03] a", "[10:00:01] b") == doctest::Approx(-2)); // a clock that was set
    CHECK(foreignStamp("Wed Jun  5 10:00:00 2019[1,1]<stderr>:a") == 24);
    CHECK(foreignStamp("Nov 21 08:43:44.123 a") == 20);
}

TEST_CASE("what is no time is no stamp")
{
    for (const std::string_view text :
         {"", "10 images/sec: 3", "I1340 16:54:47.249 x", "2026-02-30 00:00:00", "2026-11-21 25:00:00", "I0404 16:54",
          "Nov 32 08:43:44 x", "Nox 21 08:43:44 x", "[08:43:44 x", "Wed 21 08:43:44 x"})
        CHECK_FALSE(findStamp(text));
    CHECK_FALSE(findStamp("a text that goes on for a while 2026-11-21 08:43:44"));
}
