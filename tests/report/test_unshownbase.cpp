// SPDX-License-Identifier: MIT
// Base cases that are left out of a figure: its ratios depend on them, so that it says of them what it says of groups.
#include "core/report/figure.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <stdexcept>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

bool isNoted(const FigureData& figure, const std::string& note)
{
    return std::ranges::find(figure.notes, note) != figure.notes.end();
}

bool isOneRank(const store::MeasuredRun& run)
{
    return integerOf(run.row.settings, "ranks") == 1;
}

/// The figure without one rank, the base case.
FigureData withoutOneRank(const spec::Experiment& experiment, const std::vector<store::MeasuredRun>& runs,
                          const ComparedKind& kind = kSpeedup)
{
    CompareRequest request;
    request.kind = &kind;
    request.experiment = experiment;
    request.leftOut = {{"ranks", {Value(std::int64_t{1})}}};
    return figure(compare(runs, request).value());
}

/// The figure without the plan that all others are set against.
FigureData againstHiddenPlan(const spec::Experiment& experiment, const char* plan)
{
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    request.base = {{"plan", Value(plan)}};
    request.leftOut = {{"plan", {Value(plan)}}};
    const auto comparison = compare(measure(experiment, usualMeasurement), request);
    if (!comparison)
        throw std::runtime_error(comparison.error().text());
    return figure(*comparison);
}

spec::Experiment withPlan(const char* plan)
{
    auto experiment = plansExperiment({2}, 6, {"alexnet"});
    experiment.factors.back().levels.emplace_back(plan);
    return experiment;
}

} // namespace

TEST_CASE("Disturbed runs of a base case that is left out are told in notes and caption, with those that are left out")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (isOneRank(run) && run.row.repeat <= 4)
            run.row.flags = {run.row.repeat <= 3 ? "disturbed" : "nan"};
    const FigureData speedup = withoutOneRank(experiment, runs);
    const std::string said = "he base case: 3 runs were disturbed and kept and 1 run whose loss was not a number was "
                             "left out";
    CHECK(isNoted(speedup, "of t" + said));
    CHECK_MESSAGE(says(speedup.caption, " Of t" + said + "."), speedup.caption);
    CHECK(says(speedup.spoken, "of t" + said));
    const FigureData rates = withoutOneRank(experiment, runs, kThroughput);
    CHECK_FALSE(says(rates.caption, "disturbed")); // of what depends on no base case
}

TEST_CASE("Failed attempts of base cases that are left out are told")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (isOneRank(run) && run.row.repeat <= 3)
            run.row.failedAttempts = 1;
    const FigureData speedup = withoutOneRank(experiment, runs);
    CHECK(isNoted(speedup, "of the base cases: 6 attempts failed"));
    CHECK_MESSAGE(says(speedup.caption, " Of the base cases: 6 attempts failed."), speedup.caption);
    CHECK(figure(compared(experiment, runs, kSpeedup)).notes == std::vector<std::string>{"6 attempts failed"});
}

TEST_CASE("A base case that is left out is not told of where nothing that is measured is set against it")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        const bool isResnet = textOf(run.row.settings, "model") == "resnet50";
        if (isOneRank(run) && isResnet)
            run.row.flags = {"disturbed"};
        if (!isOneRank(run) && isResnet)
            run.row.state = RunState::queued;
    }
    CHECK_FALSE(says(withoutOneRank(experiment, runs).caption, "disturbed"));
}

TEST_CASE("A compressing plan that is the base case and left out keeps its mark")
{
    const FigureData speedup = againstHiddenPlan(withPlan("cntk-1bit"), "cntk-1bit");
    CHECK_MESSAGE(says(speedup.keyNote, "† lossy base case"), speedup.keyNote);
    CHECK(says(speedup.caption, "Base case: plan cntk-1bit†"));
    CHECK(says(speedup.caption,
               "† lossy base case: gradients are compressed, so other models are trained than by exact"));
    CHECK_FALSE(says(pointsOf(speedup).y.title, "lossy"));
}

TEST_CASE("A plan of one's own that is the base case and left out is described")
{
    AggregationPlan mine;
    mine.name = "mine";
    mine.collective = Collective::allreduce;
    mine.grouping = Grouping::perTensor;
    mine.schedule = Schedule::overlapped;
    auto experiment = withPlan("mine");
    experiment.plans.emplace(mine.name, mine);
    const FigureData speedup = againstHiddenPlan(experiment, "mine");
    CHECK_MESSAGE(says(speedup.caption, " Plan mine: a message per tensor, overlapped with backward."),
                  speedup.caption);
}

TEST_CASE("Where the base case alone was emulated, or alone was not, the axis does not say that all was")
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    const auto shown = [&](std::int64_t emulatedRanks) {
        experiment.when = {{{{"ranks", Value(emulatedRanks)}}, {{"compute", Value("paced")}}}};
        return withoutOneRank(experiment, measure(experiment, usualMeasurement));
    };
    const FigureData ofBase = shown(1), ofOthers = shown(2);
    CHECK_MESSAGE(says(ofBase.keyNote, "emulated base case"), ofBase.keyNote);
    CHECK(isNoted(ofBase, "emulated base case: layers were paced, not computed"));
    CHECK_MESSAGE(says(ofOthers.keyNote, "emulated in part"), ofOthers.keyNote);
    for (const FigureData* figure : {&ofBase, &ofOthers})
        CHECK_FALSE(says(pointsOf(*figure).y.title, "emulated"));
}
