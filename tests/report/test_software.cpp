// SPDX-License-Identifier: MIT
// Versions of systems, and of the frameworks that they compute with: in captions, tables and differences.
#include "core/report/comparedkind.h"
#include "core/report/table.h"
#include "tests/report/support/lab.h"
#include "tests/report/support/systems.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// Engines on two ranks, of LeNet.
spec::Experiment experimentOf(const std::vector<std::string>& engines)
{
    spec::Experiment experiment = plansExperiment({2}, 6, {"lenet"});
    experiment.factors[0] = {"engine", {engines.begin(), engines.end()}};
    experiment.factors[2] = {"plan", {Value("one")}};
    experiment.fixed["model"] = Value("lenet");
    return experiment;
}

/// PyTorch is the fastest.
Measured byEngine(const Settings& settings, int repeat)
{
    Measured measured = usualMeasurement(settings, repeat);
    measured.rate *= textOf(settings, "engine") == "pytorch" ? 2 : 1;
    return measured;
}

/// Ringside, PyTorch and Horovod on 2 ranks; `horovods` is Horovod's torch.
std::vector<store::MeasuredRun> runsByTorch(const spec::Experiment& experiment, const std::string& horovods)
{
    auto runs = measure(experiment, byEngine);
    for (store::MeasuredRun& run : runs) {
        const auto engine = textOf(run.row.settings, "engine");
        if (engine == "ringside")
            run.facts.torch = "2.11.0";
        else
            run.facts.torch = engine == "horovod" ? horovods : "2.11.0+cu130";
        if (engine != "ringside")
            run.facts.system = engine == "horovod" ? "Horovod 0.28.1" : "PyTorch 2.11.0+cu130";
    }
    return runs;
}

} // namespace

TEST_CASE("The caption names the framework that a system computes with, unless that is the system itself")
{
    const Systems systems;
    const auto experiment = experimentOf({"ringside", "pytorch", "horovod"});
    const auto runs = runsByTorch(experiment, "2.0.1+cu117");
    const std::string caption = figure(compared(experiment, runs, kThroughput)).caption;
    CHECK_MESSAGE(says(caption, "torch 2.11.0, Horovod 0.28.1 with torch 2.0.1+cu117 and PyTorch 2.11.0+cu130."),
                  caption);
    const auto ofMxnet = experimentOf({"mxnet", "horovod-mxnet"});
    auto others = measure(ofMxnet, byEngine);
    for (store::MeasuredRun& run : others) {
        const bool isHorovod = textOf(run.row.settings, "engine") == "horovod-mxnet";
        run.facts.system = isHorovod ? "Horovod for MXNet 0.28.1" : "MXNet 1.9.1";
        run.facts.mxnet = isHorovod ? "1.8.0" : "1.9.1";
    }
    const std::string other = figure(compared(ofMxnet, others, kThroughput)).caption;
    CHECK_MESSAGE(says(other, "Horovod for MXNet 0.28.1 with mxnet 1.8.0 and MXNet 1.9.1."), other);
}

TEST_CASE("Where systems are compared, tables have a column of their versions")
{
    const Systems systems;
    const auto experiment = experimentOf({"ringside", "pytorch", "horovod"});
    const auto runs = runsByTorch(experiment, "2.0.1+cu117");
    const Comparison comparison = compared(experiment, runs, kThroughput);
    const std::string tsv = written("tsv", summaryTable(comparison)),
                      latex = written("latex", summaryTable(comparison));
    CHECK_MESSAGE(says(tsv, "\tVersion\tn\t"), tsv);
    for (const char* version : {"torch 2.11.0", "2.11.0+cu130", "0.28.1 with torch 2.0.1+cu117"}) {
        CHECK_MESSAGE(says(tsv, std::string("\t") + version + "\t"), tsv);
        CHECK_MESSAGE(says(latex, std::string(" & ") + version + " & "), latex);
    }
    CHECK(says(written("tsv", summaryTable(compared(experiment, runs, kPhaseStacks))), "\tVersion\tn\t"));
    for (const ComparedKind* kind : {&kThroughput, &kPhaseStacks}) {
        const PrintedPanel panel = kind->printed(figure(compared(experiment, runs, *kind))).at(0);
        const auto column = std::ranges::find(panel.columns, "Version", &TableColumn::title) - panel.columns.begin();
        const auto has = [&](const auto& row) {
            return row.at(static_cast<std::size_t>(column)) == "0.28.1 with torch 2.0.1+cu117";
        };
        CHECK(std::ranges::any_of(panel.rows, has));
    }
}

TEST_CASE("Where all runs are of Ringside's own engine, no table has a column of versions")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"lenet"});
    auto runs = measure(experiment, usualMeasurement);
    for (store::MeasuredRun& run : runs)
        run.facts.torch = "2.11.0";
    const Comparison comparison = compared(experiment, runs, kThroughput);
    CHECK_FALSE(says(written("tsv", summaryTable(comparison)), "Version"));
    const auto drawn = figure(comparison);
    for (const Series& series : pointsOf(drawn).panels.at(0).series)
        for (const Point& point : series.points)
            CHECK(point.origin.version.empty());
}

TEST_CASE("Another framework below a system is a difference from the base case and from the fastest")
{
    const Systems systems;
    auto experiment = experimentOf({"ringside", "pytorch", "horovod"});
    experiment.base = {{"engine", Value("pytorch")}};
    const auto groupOf = [&](const std::string& horovods, const char* engine) {
        return groupWith(compared(experiment, runsByTorch(experiment, horovods), kSpeedup),
                         {{"engine", Value(engine)}});
    };
    const Group other = groupOf("2.0.1+cu117", "horovod");
    REQUIRE(other.differs.contains("torch"));
    CHECK(other.differs.at("torch") ==
          std::pair(std::optional(Value("2.11.0+cu130")), std::optional(Value("2.0.1+cu117"))));
    REQUIRE(other.againstBest);
    CHECK(other.againstBest->differs.contains("torch")); // PyTorch is the fastest
    CHECK_FALSE(groupOf("2.11.0+cu130", "horovod").differs.contains("torch"));
    CHECK_FALSE(groupOf("2.0.1+cu117", "ringside").differs.contains("torch")); // libtorch does not say its build
}
