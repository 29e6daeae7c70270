// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/timespan.h"

#include <doctest/doctest.h>

using namespace ringside;
using report::Span;

namespace {

constexpr Span kWhole{-10, 90};

} // namespace

TEST_CASE("zooming keeps the instant under the pointer in its place")
{
    const Span shown = zoomed(kWhole, kWhole, 15, 0.5); // a quarter of the way
    CHECK(shown.from == doctest::Approx(2.5));
    CHECK(shown.to == doctest::Approx(52.5));
    CHECK(zoomed(kWhole, shown, 15, 2) == kWhole);
}

TEST_CASE("nothing beyond the whole is shown")
{
    const Span shown = zoomed(kWhole, {0, 50}, 0, 1.5);
    CHECK(shown.from == doctest::Approx(0));
    CHECK(shown.to == doctest::Approx(75));
    CHECK(zoomed(kWhole, {0, 50}, 25, 100) == kWhole);
    CHECK(moved(kWhole, {0, 50}, -5) == Span{-10, 40});
    CHECK(moved(kWhole, {0, 50}, 0.1) == Span{5, 55});
    CHECK(moved(kWhole, kWhole, 1) == kWhole);
}

TEST_CASE("however far the wheel is turned something is left, and the way back is there")
{
    Span shown = kWhole;
    for (int i = 0; i < 1000; ++i)
        shown = zoomed(kWhole, shown, 30, 0.8);
    CHECK(shown.length() > 0);
    CHECK(shown.from <= 30);
    CHECK(shown.to >= 30);
    for (int i = 0; i < 1000; ++i)
        shown = zoomed(kWhole, shown, 30, 1 / 0.8);
    CHECK(shown.length() == doctest::Approx(kWhole.length()));
}
