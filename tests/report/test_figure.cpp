// SPDX-License-Identifier: MIT
#include "core/report/figure.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

FigureData figureOf(const spec::Experiment& experiment, const ComparedKind& kind, const FigureRequest& request = {})
{
    return figure(compared(experiment, measure(experiment, usualMeasurement), kind), request);
}

const Series& seriesNamed(const Points::Panel& panel, const std::string& name)
{
    for (const Series& series : panel.series)
        if (series.name == name)
            return series;
    throw std::runtime_error("no series " + name);
}

} // namespace

TEST_CASE("By default ranks go along x, plans are series and models are panels")
{
    const FigureData data = figureOf(plansExperiment({1, 2, 4}), kSpeedup);
    CHECK(pointsOf(data).lines);
    CHECK(pointsOf(data).x.title == "CPU ranks (count)");
    CHECK(pointsOf(data).x.ticks == std::vector<double>{1, 2, 4});
    REQUIRE(pointsOf(data).panels.size() == 2);
    CHECK(pointsOf(data).panels[0].title == "AlexNet");
    CHECK(pointsOf(data).panels[1].title == "ResNet-50");
    REQUIRE(pointsOf(data).panels[0].series.size() == 3);
    CHECK(pointsOf(data).panels[0].series[0].neutral);
    CHECK(seriesNamed(pointsOf(data).panels[0], "one").points.size() == 2);
}

TEST_CASE("The base case is neutral, marked and written out; lines start at it")
{
    const FigureData data = figureOf(plansExperiment({1, 2, 4}), kSpeedup);
    const Points::Panel& panel = pointsOf(data).panels[0];
    CHECK(panel.series[0].points[0].isBase);
    CHECK(panel.series[0].points[0].y == 1);
    REQUIRE(panel.baseText);
    CHECK(panel.baseText->starts_with("base case: 1 CPU rank, 61.4"));
    CHECK(panel.baseText->ends_with("images/s, n = 6"));
    const auto joined = joinedPoints(panel, seriesNamed(panel, "buckets"));
    REQUIRE(joined.size() == 3);
    CHECK(joined[0]->isBase);
}

TEST_CASE("A series keeps its style when another one is filtered away")
{
    const auto experiment = plansExperiment({1, 2});
    CompareRequest request;
    request.experiment = experiment;
    request.leftOut = {{"plan", {Value("one")}}};
    const auto comparison = compare(measure(experiment, usualMeasurement), request);
    const FigureData data = figure(*comparison);
    CHECK(seriesNamed(pointsOf(data).panels[0], "buckets").style == 1);
    CHECK(seriesNamed(pointsOf(figureOf(experiment, kSpeedup)).panels[0], "buckets").style == 1);
}

TEST_CASE("Points carry interval, n and runs; below six runs they are open and show every run")
{
    const FigureData closed = figureOf(plansExperiment({1, 2}), kThroughput);
    const Point& point = seriesNamed(pointsOf(closed).panels[0], "one").points[0];
    CHECK_FALSE(point.open());
    CHECK(point.low);
    CHECK(point.runs.size() == 6);
    const FigureData open = figureOf(plansExperiment({1, 2}, 4), kThroughput);
    const Point& few = seriesNamed(pointsOf(open).panels[0], "one").points[0];
    CHECK(few.open());
    CHECK_FALSE(few.low);
    CHECK(few.singles.size() == 4);
}

TEST_CASE("Efficiency is drawn in per cent, with its single runs in the same unit")
{
    const FigureData data = figureOf(plansExperiment({1, 2}, 4), kEfficiency);
    CHECK(pointsOf(data).y.title == "Efficiency (%)");
    const Point& point = seriesNamed(pointsOf(data).panels[0], "one").points[0];
    CHECK(point.y > 80);
    CHECK(point.y < 100);
    for (const double single : point.singles)
        CHECK(single == doctest::Approx(point.y).epsilon(0.03));
    CHECK(idealAt(pointsOf(data), pointsOf(data).panels[0], 2) == 100);
}

TEST_CASE("The ideal line goes through the base case, wherever that is")
{
    const FigureData data = figureOf(plansExperiment({1, 2, 4}), kSpeedup);
    CHECK(pointsOf(data).panels[0].ideal == Points::Ideal::proportional);
    CHECK(idealAt(pointsOf(data), pointsOf(data).panels[0], 4) == 4);
    auto fromTwo = plansExperiment({2, 4});
    fromTwo.base = {{"ranks", Value(std::int64_t{2})}};
    const FigureData relative = figureOf(fromTwo, kSpeedup);
    CHECK(idealAt(pointsOf(relative), pointsOf(relative).panels[0], 4) == 2);
}

TEST_CASE("The ideal line goes through the base case where that is left out, too")
{
    auto experiment = plansExperiment({2, 4, 8});
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    request.base = {{"ranks", Value(std::int64_t{2})}};
    request.leftOut = {{"ranks", {Value(std::int64_t{2})}}};
    const auto comparison = compare(measure(experiment, usualMeasurement), request);
    REQUIRE(comparison);
    const FigureData data = figure(*comparison);
    CHECK(pointsOf(data).x.ticks == std::vector<double>{4, 8});
    for (const Points::Panel& panel : pointsOf(data).panels) {
        CHECK(idealAt(pointsOf(data), panel, 4) == 2);
        CHECK(idealAt(pointsOf(data), panel, 8) == 4);
    }
}

TEST_CASE("Ratios without intervals are explained by the runs of their base case, where these are too few")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    const auto keepFour = [&](const char* model) {
        for (auto& run : runs)
            if (integerOf(run.row.settings, "ranks") == 1 && run.row.repeat > 4 &&
                textOf(run.row.settings, "model") == model) {
                run.row.state = RunState::queued;
                run.ranks.clear();
            }
    };
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    keepFour("alexnet");
    const FigureData some = figure(*compare(runs, request));
    CHECK_MESSAGE(says(some.caption, "95 % bootstrap intervals, not drawn for n < 6 on either side."), some.caption);
    CHECK_MESSAGE(says(some.keyNote, " · no bar: base case n < 6 · "), some.keyNote);
    const auto rows = kSpeedup.printed(some).at(0).rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0][4] == "base case");
    CHECK(rows[1][4] == "base case n < 6");
    keepFour("resnet50");
    CHECK(says(figure(*compare(runs, request)).caption, " No intervals: n < 6 on either side."));
    request.leftOut = {{"ranks", {Value(std::int64_t{1})}}};
    CHECK(says(figure(*compare(runs, request)).caption, " No intervals: n < 6 of the base case."));
    request.kind = &kThroughput;
    CHECK_FALSE(says(figure(*compare(runs, request)).keyNote, "base case"));
}

TEST_CASE("Names become bars, which have no ideal line")
{
    auto experiment = plansExperiment({2});
    experiment.base = {{"plan", Value("one")}};
    const FigureData data = figureOf(experiment, kThroughput);
    CHECK_FALSE(pointsOf(data).lines);
    CHECK(pointsOf(data).x.categories);
    CHECK(pointsOf(data).x.labels.size() == 2);
    CHECK(pointsOf(data).panels[0].ideal == Points::Ideal::none);
}

TEST_CASE("Above 32 devices the axes of a speed-up are logarithmic and say so")
{
    const FigureData data = figureOf(plansExperiment({1, 16, 64}), kSpeedup);
    CHECK(pointsOf(data).x.log2);
    CHECK(pointsOf(data).y.log2);
    CHECK(pointsOf(data).x.title == "CPU ranks (count, log scale)");
    CHECK(pointsOf(data).y.title == "Speed-up (ratio, log scale)");
    CHECK_FALSE(pointsOf(figureOf(plansExperiment({1, 16, 32}), kSpeedup)).x.log2);
}

TEST_CASE("The axis of a learning rate has no unit")
{
    auto experiment = plansExperiment({1});
    experiment.factors.push_back({"learning_rate", {Value(0.01), Value(0.1)}});
    experiment.base.clear();
    CHECK(pointsOf(figureOf(experiment, kThroughput)).x.title == "Learning rate");
}

TEST_CASE("The axis of a batch that is doubled many times is logarithmic, that of its speed-up is not")
{
    auto experiment = plansExperiment({2});
    std::erase_if(experiment.fixed, [](const auto& setting) { return setting.first == "batch_per_rank"; });
    const auto axisUpTo = [&](std::int64_t last, const ComparedKind& kind) {
        auto swept = experiment;
        swept.factors.push_back({"batch_per_rank", {Value(std::int64_t{1}), Value(std::int64_t{16}), Value(last)}});
        swept.base = {{"plan", Value("one")}};
        return pointsOf(figureOf(swept, kind, {"batch_per_rank", "model", "plan"}));
    };
    CHECK(axisUpTo(1'024, kThroughput).x.log2);
    CHECK(axisUpTo(1'024, kSpeedup).x.log2);
    CHECK_FALSE(axisUpTo(1'024, kSpeedup).y.log2);
    CHECK_FALSE(axisUpTo(32, kThroughput).x.log2);
}

TEST_CASE("Counts that are not measured yet set no axis")
{
    const auto experiment = plansExperiment({1, 2, 64});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 64) {
            run.row.state = RunState::queued;
            run.ranks.clear();
        }
    const Points points = pointsOf(figure(compared(experiment, runs, kSpeedup)));
    CHECK(points.x.ticks == std::vector<double>{1, 2});
    CHECK_FALSE(points.x.log2);
    CHECK_FALSE(points.y.log2);
}

TEST_CASE("A request deals the factors otherwise; a factor named nowhere joins the series")
{
    const FigureData swapped = figureOf(plansExperiment({1, 2}), kThroughput, {"ranks", "model", "plan"});
    REQUIRE(pointsOf(swapped).panels.size() == 3);
    CHECK(pointsOf(swapped).panels[1].title == "one");
    CHECK(pointsOf(swapped).panels[1].series.size() == 2);
    auto experiment = plansExperiment({1, 2});
    experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
    const FigureData joined = figureOf(experiment, kThroughput);
    CHECK(seriesNamed(pointsOf(joined).panels[0], "buckets · bf16").style == 3);
}

TEST_CASE("A number that is a level is named in key, panel and base case, and not beside its axis")
{
    auto experiment = plansExperiment({1}, 1, {"lenet"});
    experiment.factors = {{"cache", {Value("warmed"), Value("cold")}},
                          {"decode_threads", {Value(std::int64_t{1}), Value(std::int64_t{2})}},
                          {"prefetch", {Value(std::int64_t{1}), Value(std::int64_t{4})}}};
    experiment.fixed["model"] = Value("lenet");
    experiment.fixed["data"] = Value("synthetic-files");
    experiment.base = {{"cache", Value("warmed")}, {"prefetch", Value(std::int64_t{1})}};
    const FigureData data = figureOf(experiment, kSpeedup);
    CHECK(pointsOf(data).x.labels == std::vector<std::string>{"warmed", "cold"});
    REQUIRE(pointsOf(data).panels.size() == 1);
    CHECK(pointsOf(data).panels[0].series[1].name == "decode threads 1 · prefetched batches 4");
    REQUIRE(pointsOf(data).panels[0].baseText);
    CHECK(pointsOf(data).panels[0].baseText->starts_with("base case: cache warmed and prefetched batches 1 "));
    const Stack stack = stacksOf(figureOf(experiment, kPhaseStacks)).panels[0].stacks[0];
    CHECK(stack.label == "warmed · decode threads 1 · prefetched batches 1");
    CHECK(stack.tick == "warmed · 1 · 1");
    CHECK(pointsOf(figureOf(experiment, kThroughput, {"cache", "prefetch", "decode_threads"})).panels[1].title ==
          "decode threads 2");
}

TEST_CASE("Stacks add up, stand in the order of the points of other figures and hide communication beside the sum")
{
    const FigureData data = figureOf(plansExperiment({1, 2}), kPhaseStacks);
    REQUIRE(stacksOf(data).panels.size() == 2);
    const auto& stacks = stacksOf(data).panels[0].stacks;
    REQUIRE(stacks.size() == 3);
    CHECK(stacks[0].label == "1 CPU rank");
    CHECK(stacks[1].label == "2 CPU ranks · one");
    CHECK(stacks[2].label == "2 CPU ranks · buckets");
    CHECK(stacks[0].tick == "1 CPU rank");
    CHECK(stacks[2].tick == "2 · buckets");
    CHECK(stacksOf(data).y.title == "CPU ranks · Plan");
    for (const Stack& stack : stacks) {
        double sum = 0;
        for (const double ms : stack.phases)
            sum += ms;
        CHECK(sum == doctest::Approx(stack.total).epsilon(1e-12));
        CHECK(stack.low <= stack.total);
        CHECK(stack.total <= stack.high);
    }
    CHECK(stacks[2].hiddenCommunication > 0);
    CHECK(stacks[0].hiddenCommunication == 0);
}

TEST_CASE("A phase that not all runs of a stack report is left out of it, and its time is part of the rest")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    const auto stacksBy = [&](const Model& model) {
        return stacksOf(figure(compared(experiment, measure(experiment, model), kPhaseStacks))).panels.at(0).stacks;
    };
    const auto stacks = stacksBy(lessToldMeasurement), usual = stacksBy(usualMeasurement);
    REQUIRE(stacks.size() == 3);
    CHECK(stacks[0].told.hasAll());
    CHECK(stacks[2].told.hasAll());
    CHECK(stacks[0].phases == usual[0].phases);
    const Stack& less = stacks[1];
    CHECK(less.label == "2 CPU ranks · one");
    CHECK(less.told == PhaseSet{Phase::forward, Phase::backward});
    for (const Phase phase : {Phase::inputWait, Phase::h2d, Phase::commExposed, Phase::update})
        CHECK(less.phases[static_cast<std::size_t>(phase)] == 0);
    CHECK(less.phases[2] == usual[1].phases[2]);
    CHECK(less.total == doctest::Approx(usual[1].total));
    CHECK(less.phases[6] == doctest::Approx(less.total - less.phases[2] - less.phases[3]));
    CHECK_FALSE(less.hiddenCommunication); // it is not known what of it was exposed
}

TEST_CASE("Stacks of one rank are told apart where more than the plan differs")
{
    auto experiment = plansExperiment({1, 2}, 1, {"lenet"});
    experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
    const auto stacks = stacksOf(figureOf(experiment, kPhaseStacks)).panels.at(0).stacks;
    REQUIRE(stacks.size() == 6);
    CHECK(stacks[0].label == "1 CPU rank · fp32");
    CHECK(stacks[1].tick == "1 CPU rank · bf16");
    CHECK(stacks[5].tick == "2 · buckets · bf16");
}

TEST_CASE("Loading stands beside the stacks and makes none of them longer")
{
    const auto experiment = plansExperiment({1, 2});
    const auto figureBy = [&](const Model& model) {
        return figure(compared(experiment, measure(experiment, model), kPhaseStacks));
    };
    const FigureData data = figureBy(loadingMeasurement), without = figureBy(usualMeasurement);
    CHECK(loads(stacksOf(data)));
    CHECK_FALSE(loads(stacksOf(without)));
    const auto &stacks = stacksOf(data).panels[0].stacks, &same = stacksOf(without).panels[0].stacks;
    REQUIRE(stacks.size() == same.size());
    for (std::size_t i = 0; i < stacks.size(); ++i)
        CHECK(stacks[i].total == same[i].total);
    CHECK(stacks[2].read == doctest::Approx(3));
    CHECK(stacks[2].decode == doctest::Approx(60));
    CHECK(stacks[0].decode == doctest::Approx(30));
}

TEST_CASE("A cell all of whose runs failed is named beside the panels")
{
    const auto experiment = plansExperiment({1, 2}, 2, {"lenet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (*textOf(run.row.settings, "plan") == "buckets" ||
            (run.row.repeat == 1 && *textOf(run.row.settings, "plan") == "one")) {
            run.row.state = RunState::failed;
            run.ranks.clear();
        }
    const FigureData points = figure(compared(experiment, runs, kSpeedup));
    REQUIRE(points.failedCells.size() == 1); // of plan one a run was measured
    CHECK(points.failedCells[0].name == "buckets");
    CHECK(points.failedCells[0].x == 2);
    CHECK(points.failedCells[0].failed == 2);
    CHECK(figure(compared(experiment, runs, kPhaseStacks)).failedCells.at(0).name == "2 CPU ranks · buckets");
    CHECK(figureOf(experiment, kSpeedup).failedCells.empty());
}

TEST_CASE("No finished runs give a figure without panels that says so")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        run.row.state = RunState::queued;
        run.ranks.clear();
    }
    for (const ComparedKind* kind : {&kThroughput, &kPhaseStacks}) {
        const FigureData data = figure(compared(experiment, runs, *kind));
        CHECK(data.isEmpty());
        REQUIRE(data.notes.size() == 1);
        CHECK(data.notes[0] == "No finished runs match.");
    }
    CHECK(figure(compared(experiment, {}, kThroughput)).isEmpty());
}

TEST_CASE("Between ranks of other numbers of cores there is neither an efficiency nor an ideal line")
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}}, {{"cores_per_rank", Value(std::int64_t{2})}}}};
    const auto runs = measure(experiment, usualMeasurement);
    const auto table = compared(experiment, runs, kSpeedup);
    CHECK(groupWith(table, alexnetOn(2, "one")).speedup.value);
    CHECK_FALSE(groupWith(table, alexnetOn(2, "one")).efficiency.value);
    CHECK(pointsOf(figure(table)).panels[0].ideal == Points::Ideal::none);
    CompareRequest request;
    request.kind = &kEfficiency;
    request.experiment = experiment;
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("other numbers of cores") != std::string::npos);
    experiment.fixed["device"] = Value("cuda"); // a GPU is one whatever cores feed it
    CHECK(groupWith(compared(experiment, measure(experiment, usualMeasurement), kEfficiency), alexnetOn(2, "one"))
              .efficiency.value);
}

TEST_CASE("A rank on a CPU is no measure of the efficiency of GPUs")
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    experiment.fixed.erase("device");
    experiment.factors.push_back({"device", {Value("cpu"), Value("cuda")}});
    experiment.base = {{"ranks", Value(std::int64_t{1})}, {"device", Value("cpu")}};
    const auto comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    const auto on = [&](const char* device) -> const Group& {
        return groupWith(comparison, {{"ranks", std::int64_t{2}}, {"plan", Value("one")}, {"device", Value(device)}});
    };
    CHECK(on("cuda").speedup.value);
    CHECK_FALSE(on("cuda").efficiency.value);
    CHECK(on("cpu").efficiency.value);
}

TEST_CASE("Series that collapsed keep shapes of their own where there are more series than colours")
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    for (const char* plan : {"one-overlapped", "buckets-after", "caffe", "caffe-mpi", "ddp", "mg-wfbp"})
        experiment.factors.back().levels.emplace_back(plan);
    experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
    const FigureRequest request{"", "precision", ""};
    const auto runs = measure(experiment, usualMeasurement);
    const FigureData data = figure(compared(experiment, runs, kThroughput, request), request);
    const Points::Panel& panel = pointsOf(data).panels.at(0);
    CHECK(seriesNamed(panel, "1 CPU rank · fp32").style == 0);
    CHECK(seriesNamed(panel, "1 CPU rank · bf16").style == 1);
}

TEST_CASE("A panel has its ideal line whatever cores the ranks of another panel have")
{
    auto experiment = plansExperiment({1, 2});
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}, {"model", Value("alexnet")}},
                        {{"cores_per_rank", Value(std::int64_t{2})}}}};
    const FigureData data = figureOf(experiment, kSpeedup);
    const std::vector<Points::Panel>& panels = pointsOf(data).panels;
    REQUIRE(panels.size() == 2);
    CHECK(panels[0].title == "AlexNet");
    CHECK(panels[0].ideal == Points::Ideal::none);
    CHECK(panels[1].ideal == Points::Ideal::proportional);
    const auto resnet = data.spoken.find("ResNet-50: ");
    CHECK_FALSE(says(data.spoken.substr(0, resnet), "ideal"));
    CHECK_MESSAGE(says(data.spoken.substr(resnet), "; ideal 2."), data.spoken);
}

TEST_CASE("Title and caption have the scaling of what is drawn")
{
    auto experiment = plansExperiment({1, 2, 4}, 6, {"alexnet", "resnet50"});
    experiment.when = {{{{"model", Value("resnet50")}, {"ranks", Value(std::int64_t{4})}},
                        {{"batch_per_rank", Value(std::int64_t{4})}}}};
    auto runs = measure(experiment, usualMeasurement);
    CHECK(figure(compared(experiment, runs, kSpeedup)).title.ends_with("mixed scaling"));
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 1 && textOf(run.row.settings, "model") == "resnet50")
            run.row.state = RunState::failed; // so that ResNet-50 has no base case
    const FigureData drawn = figure(compared(experiment, runs, kSpeedup));
    CHECK(drawn.title == "Speed-up of AlexNet, weak scaling");
    CHECK(drawn.caption.find("of AlexNet under weak scaling (8 images per rank)") != std::string::npos);
}
