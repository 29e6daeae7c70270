// SPDX-License-Identifier: MIT
#include "core/report/standing.h"
#include "tests/report/support/lab.h"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// The factors of these comparisons need no more of it.
spec::Experiment experimentOf(const Comparison& comparison)
{
    spec::Experiment experiment;
    experiment.factors = comparison.factors;
    return experiment;
}

/// "61.4 alexnet one" and so on: who is called what.
std::string verdicts(Comparison comparison, const FigureRequest& request = {})
{
    addStandings(comparison, experimentOf(comparison), request);
    std::string text;
    for (const Group& group : comparison.groups)
        text += (text.empty() ? "" : " ") +
                (group.againstBest ? std::string(nameOf(group.againstBest->verdict)) : std::string("-"));
    return text;
}

Comparison withPlansLeftOut(const std::vector<Value>& plans)
{
    CompareRequest request;
    request.experiment = plansExperiment({2});
    request.leftOut = {{"plan", plans}};
    return *compare(measure(request.experiment, usualMeasurement), request);
}

/// Two plans, each in two precisions: bf16 is twice as fast.
Comparison comparedInTwoPrecisions(const FigureRequest& request = {})
{
    auto experiment = plansExperiment({2}, 6, {"resnet50"});
    experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
    const auto faster = [](const Settings& settings, int repeat) {
        Measured measured = usualMeasurement(settings, repeat);
        measured.rate *= *textOf(settings, "precision") == "bf16" ? 2 : 1;
        return measured;
    };
    return compared(experiment, measure(experiment, faster), kThroughput, request);
}

} // namespace

TEST_CASE("Plans are set against each other where model and ranks are the same")
{
    const auto experiment = plansExperiment({1, 2, 4});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    CHECK(verdicts(comparison) == "- slower best slower best - slower best slower best");
}

TEST_CASE("Two models are never slower than each other, whatever is left out or drawn as series")
{
    CHECK(verdicts(withPlansLeftOut({})) == "slower best slower best");
    CHECK(verdicts(withPlansLeftOut({Value("one")})) == "- -");
    CHECK(verdicts(withPlansLeftOut({}), {"plan", "model", ""}) == "slower best slower best"); // plans, all the same
    CHECK(verdicts(withPlansLeftOut({}), {"ranks", "model", "plan"}) == "- - - -");
}

TEST_CASE("With another precision, too, a plan is another answer to another question")
{
    const Comparison comparison = comparedInTwoPrecisions();
    CHECK(verdicts(comparison, {"", "plan", ""}) == "slower slower best best");
}

TEST_CASE("JSON has ratio, bounds, p and verdict of each group, and null where nothing is compared")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    const auto json =
        nlohmann::json::parse(comparisonToJson(compared(experiment, measure(experiment, usualMeasurement), kSpeedup)));
    CHECK(json["groups"][0]["against_best"].is_null());
    const auto slower = json["groups"][1]["against_best"], best = json["groups"][2]["against_best"];
    CHECK(slower["verdict"] == "slower");
    CHECK(slower["p"].get<double>() <= 0.05);
    CHECK(slower["low"].get<double>() < slower["ratio"].get<double>());
    CHECK(slower["high"].get<double>() < 1);
    CHECK(best["verdict"] == "best");
    CHECK(best["ratio"] == 1);
    CHECK(best["p"].is_null());
}

TEST_CASE("Table and JSON set the same levels against each other, those of the chosen series")
{
    const FigureRequest request{"plan", "precision", ""};
    const Comparison comparison = comparedInTwoPrecisions(request);
    const auto json = nlohmann::json::parse(comparisonToJson(comparison));
    CHECK(json["compared_factor"] == "precision");
    CHECK(json["groups"][0]["against_best"]["verdict"] == "slower"); // one in fp32, against one in bf16
    CHECK(json["groups"][1]["against_best"]["verdict"] == "best");
    CHECK(verdicts(comparison, request) == "slower best slower best");
}

TEST_CASE("What a rule makes different between a plan and the fastest is named beside the verdict")
{
    auto experiment = plansExperiment({2}, 6, {"resnet50"});
    experiment.when = {{{{"plan", Value("one")}}, {{"precision", Value("bf16")}}}};
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    const auto json = nlohmann::json::parse(comparisonToJson(comparison));
    CHECK(json["groups"][0]["against_best"]["differs"]["precision"] == nlohmann::json({"fp32", "bf16"}));
    CHECK(json["groups"][1]["against_best"]["differs"] == nlohmann::json::object());
    const std::string verdict = verdictText(*comparison.groups[0].againstBest);
    CHECK(verdict.starts_with("slower, p = "));
    CHECK(verdict.ends_with(", differs in precision, too"));
    CHECK(verdictText(*comparison.groups[1].againstBest) == "fastest");
}

TEST_CASE("Where nothing is claimed it is said whether the group or the fastest has too few runs")
{
    const auto experiment = plansExperiment({2}, 6, {"resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (textOf(run.row.settings, "plan") == "buckets" && run.row.repeat == 1)
            run.row.state = RunState::failed;
    const Comparison comparison = compared(experiment, runs, kThroughput);
    CHECK(verdictText(*comparison.groups[0].againstBest) == "no claim, fastest has n < 6");
    CHECK(verdictText(*comparison.groups[1].againstBest) == "no claim, n < 6");
}

TEST_CASE("The more places a table compares at, the more it takes until a plan is called slower")
{
    const auto overlapping = [](const Settings& settings, int repeat) {
        Measured measured;
        measured.rate = textOf(settings, "plan") == "one"
                            ? std::array{90, 91, 92, 93, 94, 101}[std::size_t(repeat - 1)]
                            : std::array{95, 96, 99, 100, 102, 103}[std::size_t(repeat - 1)];
        return measured;
    };
    const auto standingOnTwo = [&](const std::vector<std::int64_t>& ranks) {
        const auto experiment = plansExperiment(ranks, 6, {"alexnet"});
        const Comparison comparison = compared(experiment, measure(experiment, overlapping), kThroughput);
        return *groupWith(comparison, alexnetOn(2, "one")).againstBest;
    };
    const AgainstBest alone = standingOnTwo({2}), ofThree = standingOnTwo({2, 3, 4});
    REQUIRE(alone.p);
    REQUIRE(*alone.p > 0.05 / 3);
    CHECK(alone.verdict == Verdict::slower);
    CHECK(ofThree.verdict == Verdict::noDifferenceShown);
    CHECK(*ofThree.p == doctest::Approx(1 - std::pow(1 - *alone.p, 3)).epsilon(0.05)); // the permutations are others
    CHECK(ofThree.ratio == alone.ratio);
}

TEST_CASE("A plan that is ten times slower is found slower in a table of sixty comparisons")
{
    const auto experiment = plansExperiment({2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                             17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
                                            8);
    const auto slow = [](const Settings& settings, int repeat) {
        Measured measured = usualMeasurement(settings, repeat);
        measured.rate /= textOf(settings, "plan") == "one" ? 10 : 1;
        return measured;
    };
    const Comparison comparison = compared(experiment, measure(experiment, slow), kThroughput);
    CHECK(std::ranges::count_if(comparison.groups, [](const Group& group) {
              return group.againstBest && group.againstBest->verdict == Verdict::slower && group.againstBest->low;
          }) == 60);
}

TEST_CASE("JSON says what was left out and whether runs whose loss was not a number were kept")
{
    const auto usual = nlohmann::json::parse(comparisonToJson(withPlansLeftOut({Value("one")})));
    CHECK(usual["left_out"] == nlohmann::json({{"plan", {"one"}}}));
    CHECK(usual["disturbed_left_out"] == false);
    CHECK(usual["nan_kept"] == false);
    CHECK(usual["compared_factor"].is_null());
}

TEST_CASE("Below six runs on either side nothing is claimed, and the ratio stands without an interval")
{
    const auto experiment = plansExperiment({2}, 5, {"resnet50"});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    CHECK(verdicts(comparison) == "no_claim no_claim");
    CHECK(comparison.groups[0].againstBest->ratio < 1);
    CHECK_FALSE(comparison.groups[0].againstBest->low);
}
