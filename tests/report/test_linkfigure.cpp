// SPDX-License-Identifier: MIT
#include "core/report/linkfigure.h"
#include "core/report/scale.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using ringside::test::pointsOf;

namespace {

Calibration twoLevels()
{
    Calibration calibration;
    calibration.links = {
        {LinkLevel::node, LinkOperation::pingPong, 2, {{4096, 1e-6}}, {}},
        {LinkLevel::nodes, LinkOperation::allReduce, 4, {{4096, 2e-5}, {100'000'000, 0.1}}, {}},
        {LinkLevel::node, LinkOperation::allReduce, 2, {{4096, 1e-5}, {65536, 2e-5}, {67'108'864, 0.02}}, {}}};
    return calibration;
}

} // namespace

TEST_CASE("the bandwidth of the bus counts what every rank has to send")
{
    CHECK(busBandwidth(2, {1'000'000, 0.001}) == doctest::Approx(1e9));
    CHECK(busBandwidth(4, {1'000'000, 0.001}) == doctest::Approx(1.5e9));
    CHECK(busBandwidth(1, {1'000'000, 0.001}) == 0);
    CHECK(busBandwidth(2, {1'000'000, 0}) == 0);
}

TEST_CASE("every level that all-reduced is a line over the size of messages")
{
    const FigureData figure = linkFigure(twoLevels(), LinkMeasure::busBandwidth);
    REQUIRE(pointsOf(figure).panels.size() == 1);
    const auto& series = pointsOf(figure).panels[0].series;
    REQUIRE(series.size() == 2);
    CHECK(series[0].name == "inside a node");
    CHECK(series[1].name == "between nodes");
    CHECK(series[0].style != series[1].style);
    REQUIRE(series[0].points.size() == 3);
    CHECK(series[0].points[1].x == 65536);
    CHECK(series[0].points[2].y == doctest::Approx(3.3554432));
    CHECK(series[1].points[1].y == doctest::Approx(1.5));
    CHECK_FALSE(series[0].points[0].open());
    std::vector<std::string> labels;
    for (const Tick& tick : xScale(pointsOf(figure).x).ticks)
        labels.push_back(tick.text);
    CHECK(labels == std::vector<std::string>{"4 KiB", "32 KiB", "256 KiB", "2 MiB", "16 MiB", "100 MB"});
    CHECK(xScale(pointsOf(figure).x).log2);
    CHECK_FALSE(valueScale(pointsOf(figure), pointsOf(figure).panels[0]).log2);
    CHECK(figure.spoken == "All-reduce inside a node: 3.36 GB/s for 64 MiB; between nodes: 1.50 GB/s for 100 MB.");
}

TEST_CASE("all-reduces of the GPUs' memory are named so")
{
    Calibration calibration = twoLevels();
    calibration.links[2].inGpuMemory = true;
    const FigureData figure = linkFigure(calibration, LinkMeasure::busBandwidth);
    CHECK(pointsOf(figure).panels[0].series[0].name == "inside a node, GPU memory");
    CHECK(pointsOf(figure).panels[0].series[1].name == "between nodes");
}

TEST_CASE("times of messages have an axis of doublings, in microseconds")
{
    const FigureData figure = linkFigure(twoLevels(), LinkMeasure::time);
    CHECK(pointsOf(figure).panels[0].series[0].points[0].y == doctest::Approx(10));
    const Scale scale = valueScale(pointsOf(figure), pointsOf(figure).panels[0]);
    CHECK(scale.log2);
    REQUIRE(scale.ticks.size() == 7); // 14 doublings, 8 µs to 110 ms: their labels would lie on each other
    CHECK(scale.ticks[1].value == 4 * scale.ticks[0].value);
}

TEST_CASE("where one rank was calibrated there is nothing to draw")
{
    const FigureData figure = linkFigure(Calibration{}, LinkMeasure::busBandwidth);
    CHECK(pointsOf(figure).panels[0].series.empty());
    CHECK(figure.spoken == "No all-reduce was measured.");
}

TEST_CASE("what was imported is drawn beside, by its name, and said to be no measurement of Ringside's")
{
    Calibration foreign;
    foreign.ranks = 16;
    foreign.links = {{LinkLevel::all, LinkOperation::allReduce, 16, {{8192, 4e-5}}, {}, true},
                     {LinkLevel::all, LinkOperation::stream, 2, {{8192, 4e-5}}, {}}};
    const std::vector<ImportedLinks> imported{{"nccl-tests", foreign}};
    const FigureData figure = linkFigure(twoLevels(), LinkMeasure::busBandwidth, imported);
    const auto& series = pointsOf(figure).panels[0].series;
    REQUIRE(series.size() == 3);
    CHECK(series[2].name == "all ranks, GPU memory, 16 ranks, imported: nccl-tests");
    CHECK(series[2].style > series[1].style);
    CHECK(series[2].points[0].y == doctest::Approx(2 * 15.0 / 16 * 8192 / 4e-5 / 1e9));
    CHECK(figure.keyNote.find("not measured by Ringside") != std::string::npos);
    CHECK(linkFigure(twoLevels(), LinkMeasure::busBandwidth).keyNote.empty());
}

TEST_CASE("of more imports than have a colour, the newest are drawn, and means over ranks are called so")
{
    Calibration foreign;
    std::vector<ImportedLinks> imported;
    for (int ranks = 20; ranks > 10; --ranks) {
        foreign.ranks = ranks;
        foreign.links = {{LinkLevel::all, LinkOperation::allReduce, ranks, {{8192, 4e-5}}, {}, false, true}};
        imported.push_back({"osu", foreign});
    }
    const FigureData figure = linkFigure(twoLevels(), LinkMeasure::busBandwidth, imported);
    const auto& series = pointsOf(figure).panels[0].series;
    REQUIRE(series.size() == 6);
    CHECK(series[2].name == "all ranks, means over ranks, 20 ranks, imported: osu");
    CHECK(series[5].style == kSeriesColours - 1);
    CHECK(figure.keyNote.find("the newest 4 of 10 imported are drawn") != std::string::npos);
}
