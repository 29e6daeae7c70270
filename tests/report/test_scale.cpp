// SPDX-License-Identifier: MIT
#include "core/report/scale.h"
#include "core/report/ticks.h"

#include <doctest/doctest.h>

using namespace ringside::report;

namespace {

Points throughputUpTo(double highest, bool lines = true)
{
    Points points;
    points.lines = lines;
    points.x.ticks = {1, 2};
    Series series;
    series.points = {Point{}, Point{}};
    series.points[0].x = 1;
    series.points[1].x = 2;
    series.points[1].y = highest;
    series.points[0].n = series.points[1].n = 6;
    points.panels.push_back({{}, {series}, {}});
    return points;
}

std::string tickTexts(const Scale& scale)
{
    std::string texts;
    for (const Tick& tick : scale.ticks)
        texts += (texts.empty() ? "" : " ") + tick.text;
    return texts;
}

} // namespace

TEST_CASE("Ticks stand on steps of 1, 2 and 5 and enclose the range")
{
    for (const auto& [low, high] :
         {std::pair(0.0, 17.3), {0.0, 0.07}, {3.0, 3.4}, {-5.0, 12.0}, {0.0, 1.0}, {0.0, 83000.0}}) {
        const Ticks ticks = niceTicks(low, high);
        CAPTURE(high);
        CHECK(ticks.low() <= low + 1e-12);
        CHECK(ticks.high() >= high - 1e-9);
        CHECK(ticks.values.size() <= 6);
        CHECK(ticks.values.size() >= 3);
    }
    CHECK(niceTicks(0, 16).step == 5);
    CHECK(niceTicks(0, 1).decimals == 1);
    CHECK(niceTicks(0, 400).decimals == 0);
    CHECK(niceTicks(2, 2).values.size() >= 2);
}

TEST_CASE("The value axis starts at 0 and leaves no large empty part")
{
    for (const double highest : {0.013, 0.97, 1.9, 11.3, 101.0, 119.0, 4358.0}) {
        const Points points = throughputUpTo(highest);
        const Scale scale = valueScale(points, points.panels[0]);
        CAPTURE(highest);
        CHECK(scale.low == 0);
        CHECK(scale.high >= highest);
        CHECK(scale.high <= 1.13 * highest);
        CHECK(scale.ticks.size() >= 3);
        CHECK(scale.ticks.size() <= 8);
        CHECK(scale.position(0) == 0);
    }
    const Points hundred = throughputUpTo(97);
    CHECK(tickTexts(valueScale(hundred, hundred.panels[0])) == "0 20 40 60 80 100");
}

TEST_CASE("Bars leave room for a number above them")
{
    const Points points = throughputUpTo(100, false);
    CHECK(valueScale(points, points.panels[0]).high >= 115);
}

TEST_CASE("Counts have ticks at the data only; the axis starts at 0 unless it would be half empty")
{
    Points points = throughputUpTo(1);
    CHECK(tickTexts(xScale(points.x)) == "1 2");
    CHECK(xScale(points.x).low > 0);
    CHECK(xScale(points.x).position(1) > 0.1); // room for series side by side, at both ends
    CHECK(xScale(points.x).position(2) == doctest::Approx(1 - xScale(points.x).position(1)));
    points.x.ticks = {1, 2, 4, 8, 16};
    CHECK(tickTexts(xScale(points.x)) == "1 2 4 8 16");
    CHECK(xScale(points.x).low == 0);
    points.x.log2 = true;
    const Scale scale = xScale(points.x);
    CHECK(scale.position(4) - scale.position(2) == doctest::Approx(scale.position(16) - scale.position(8)));
}

TEST_CASE("A single count has an axis of its own width")
{
    Points points = throughputUpTo(1);
    points.x.ticks = {2};
    CHECK(xScale(points.x).position(2) == doctest::Approx(0.5));
}

TEST_CASE("Categories stand in the middle of equal slots")
{
    Points points;
    points.x.categories = true;
    points.x.labels = {"one", "buckets"};
    CHECK(xScale(points.x).position(0) == 0.25);
    CHECK(xScale(points.x).position(1) == 0.75);
}
