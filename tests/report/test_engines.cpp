// SPDX-License-Identifier: MIT
// Figures, tables and captions where engines are compared, by the tables of real systems.
#include "core/adapters/adapterbook.h"
#include "core/report/layout.h"
#include "core/spec/systems.h"
#include "tests/report/support/lab.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// The systems that come with Ringside, in use.
struct Systems
{
    Systems() { book.use(); }
    ~Systems() { spec::setSystems({}); }

    TemporaryFolder folder;
    adapters::AdapterBook book{folder.path()};
};

std::vector<Value> words(const std::vector<std::string>& all)
{
    return {all.begin(), all.end()};
}

/// Engines by plans and ranks, of LeNet.
spec::Experiment enginesExperiment(const std::vector<std::string>& engines, const std::vector<std::string>& plans,
                                   const std::vector<std::int64_t>& ranks, int repeats = 6)
{
    spec::Experiment experiment = plansExperiment(ranks, repeats, {"lenet"});
    experiment.factors[0] = {"engine", words(engines)};
    experiment.factors[2] = {"plan", words(plans)};
    experiment.fixed["model"] = Value("lenet");
    return experiment;
}

/// Of engines that differ: PyTorch is twice as fast as Ringside, MXNet half as fast.
Measured bySystem(const Settings& settings, int repeat)
{
    Measured measured = usualMeasurement(settings, repeat);
    const auto engine = textOf(settings, "engine");
    measured.rate *= engine == "pytorch" ? 2 : engine == "mxnet" ? 0.5 : 1;
    return measured;
}

Comparison comparedBySystem(const spec::Experiment& experiment, const FigureRequest& layout = {})
{
    return compared(experiment, measure(experiment, bySystem), kThroughput, layout);
}

/// "PyTorch: PyTorch · 1 CPU rank, PyTorch": every line with the series of the points that it joins, by name.
std::vector<std::string> linesOf(const Points::Panel& panel)
{
    std::vector<std::string> lines;
    for (const Series& series : panel.series) {
        std::string line = series.name + ":";
        for (const Point* point : joinedPoints(panel, series))
            for (const Series& of : panel.series)
                if (!of.points.empty() && point >= &of.points.front() && point <= &of.points.back())
                    line += (line.ends_with(':') ? " " : ", ") + of.name;
        if (!series.neutral)
            lines.push_back(line);
    }
    std::ranges::sort(lines);
    return lines;
}

} // namespace

TEST_CASE("A line starts at the single rank of its own engine")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch", "mxnet"}, {"one", "buckets"}, {1, 2});
    const std::vector<std::string> lines = {
        "MXNet: MXNet · 1 CPU rank, MXNet",
        "PyTorch: PyTorch · 1 CPU rank, PyTorch",
        "Ringside · buckets: Ringside · 1 CPU rank, Ringside · buckets",
        "Ringside · one: Ringside · 1 CPU rank, Ringside · one",
    };
    for (const FigureRequest& layout : {FigureRequest{}, FigureRequest{"", "engine", ""}}) {
        const FigureData data = figure(comparedBySystem(experiment, layout), layout);
        CHECK(linesOf(pointsOf(data).panels.at(0)) == lines);
    }
}

TEST_CASE("A line starts at the single rank of its own precision")
{
    auto experiment = plansExperiment({1, 2}, 6, {"lenet"});
    experiment.factors.push_back({"precision", words({"fp32", "bf16"})});
    const FigureData data = figure(comparedBySystem(experiment));
    CHECK(linesOf(pointsOf(data).panels.at(0)).at(0) == "buckets · bf16: 1 CPU rank · bf16, buckets · bf16");
}

TEST_CASE("Engines are series, and the fastest is that of all of them, though some of them know no plan")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch", "mxnet"}, {"one", "buckets"}, {2, 4});
    CHECK(layoutFor(comparedBySystem(experiment), {}).series == "engine");
    for (const FigureRequest& layout : {FigureRequest{}, FigureRequest{"", "plan", ""}, {"engine", "plan", ""}}) {
        const Comparison comparison = comparedBySystem(experiment, layout);
        CHECK(comparison.comparedFactor == "engine");
        for (const Group& group : comparison.groups) {
            REQUIRE(group.againstBest);
            const bool isFastest = textOf(group.settings, "engine") == "pytorch";
            CHECK((group.againstBest->verdict == Verdict::best) == isFastest);
            CHECK((group.againstBest->ratio < 0.6) == !isFastest);
        }
    }
}

TEST_CASE("Plans are held against each other where each engine has a panel of its own")
{
    const Systems systems;
    const FigureRequest layout{"", "plan", "engine"};
    const Comparison comparison =
        comparedBySystem(enginesExperiment({"ringside", "pytorch"}, {"one", "buckets"}, {2, 4}), layout);
    CHECK(comparison.comparedFactor == "plan");
    const Group& buckets = groupWith(comparison, {{"engine", Value("ringside")}, {"plan", Value("buckets")}});
    CHECK(buckets.againstBest->verdict == Verdict::best);
    CHECK_FALSE(groupWith(comparison, {{"engine", Value("pytorch")}}).againstBest);
}
