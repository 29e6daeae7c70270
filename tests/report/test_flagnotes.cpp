// SPDX-License-Identifier: MIT
// Faults of runs, and the hardware that they were measured on, in notes, caption, JSON and CSV.
#include "core/report/files.h"
#include "core/report/flagnotes.h"
#include "tests/report/support/lab.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> kFlags = {"disturbed", "throttled", "incomplete", "unobserved", "nan", "short"};

/// Returns runs; on two ranks each repeat bears another flag.
std::vector<store::MeasuredRun> flaggedRuns(const spec::Experiment& experiment)
{
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        run.facts = {"AMD EPYC 7763", "2.11.0", "tcp"};
        if (integerOf(run.row.settings, "ranks") == 2)
            run.row.flags = {kFlags.at(static_cast<std::size_t>(run.row.repeat - 1))};
    }
    return runs;
}

spec::Experiment experimentOfOnePlan()
{
    auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    std::erase_if(experiment.factors, [](const spec::Factor& factor) { return factor.key == "plan"; });
    experiment.fixed["plan"] = std::string("buckets");
    return experiment;
}

} // namespace

TEST_CASE("each flag has a note of its own, which says what becomes of the run")
{
    const auto experiment = experimentOfOnePlan();
    const Comparison comparison = compared(experiment, flaggedRuns(experiment), kThroughput);
    CHECK(flagNotes(comparison) ==
          std::vector<std::string>{"1 run was disturbed and kept", "1 run had a GPU that slowed itself down",
                                   "1 run lacks samples",
                                   "1 run may have been disturbed: nothing was recorded that would show it",
                                   "1 run whose loss was not a number was left out",
                                   "1 run was measured for less than 5 s or 30 iterations"});
    const std::string caption = figure(comparison).caption;
    CHECK(caption.find("1 run was disturbed and kept") != std::string::npos);
    CHECK(caption.find("AMD EPYC 7763, torch 2.11.0") != std::string::npos);
    CHECK(flagNotes(compared(experiment, measure(experiment, usualMeasurement), kThroughput)).empty());
}

TEST_CASE("Runs whose loss was not a number are said to be kept or left out in whole sentences")
{
    const auto experiment = experimentOfOnePlan();
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (run.row.repeat <= 2)
            run.row.flags = {"nan"};
    const auto notesOf = [&](bool keepNan) {
        CompareRequest request;
        request.experiment = experiment;
        request.keepNan = keepNan;
        return flagNotes(*compare(runs, request));
    };
    CHECK(notesOf(false) == std::vector<std::string>{"4 runs whose loss was not a number were left out"});
    CHECK(notesOf(true) == std::vector<std::string>{"4 runs whose loss was not a number were kept"});
}

TEST_CASE("A caption that is too long has the numbers of flags in short, and the sentence before them")
{
    auto experiment = plansExperiment(
        {1, 2}, 6,
        {"alexnet", "googlenet", "inceptionv3", "resnet18", "resnet50", "resnet101", "resnet152", "vgg16", "lenet"});
    experiment.factors.back().levels = {Value("mxnet")};
    for (const char* name : {"a-plan-with-a-long-name", "another-plan-with-a-long-name"}) {
        AggregationPlan mine;
        mine.name = name;
        mine.collective = Collective::allreduce;
        experiment.plans.emplace(mine.name, mine);
        experiment.factors.back().levels.emplace_back(name);
    }
    auto runs = flaggedRuns(experiment);
    for (auto& run : runs)
        run.facts = {std::string(59, 'x'), "2.11.0", std::string(59, 'y')};
    const std::string caption = figure(compared(experiment, runs, kThroughput)).caption;
    CAPTURE(caption);
    CHECK(caption.size() <= 900);
    CHECK(caption.find("…") == std::string::npos);
    CHECK(caption.ends_with(
        " are not counted as ranks. Flags of runs: disturbed 27, incomplete 27, nan 27 (27 left out), "
        "short 27, throttled 27, unobserved 27."));
}

TEST_CASE("a run of which a rank's samples are missing has no rate, is not in n, and is counted")
{
    const auto experiment = experimentOfOnePlan();
    auto runs = flaggedRuns(experiment);
    for (auto& run : runs)
        if (run.row.flags == std::vector<std::string>{"incomplete"})
            run.ranks.pop_back();
    const Comparison comparison = compared(experiment, runs, kThroughput);
    const Group& group = groupWith(comparison, {{"ranks", Value(std::int64_t{2})}});
    CHECK(group.n() == 4); // and one whose loss was not a number
    CHECK(group.unmeasured == 1);
    CHECK(std::ranges::count(flagNotes(comparison), "1 run lacks samples, 1 left out") == 1);
}

TEST_CASE("JSON and CSV have the flags with their numbers, and what the runs were measured on")
{
    const auto experiment = experimentOfOnePlan();
    const Comparison comparison = compared(experiment, flaggedRuns(experiment), kThroughput);
    const Json group = Json::parse(comparisonToJson(comparison))["groups"][1];
    CHECK(group["n"] == 5);
    Json each = Json::object();
    for (const std::string& flag : kFlags)
        each[flag] = 1;
    CHECK(group["flags"] == each);
    CHECK(group["facts"] == Json({{"processor", {"AMD EPYC 7763"}}, {"torch", {"2.11.0"}}, {"network", {"tcp"}}}));
    const std::string csv = figureCsv(figure(comparison));
    CHECK(csv.find("AMD EPYC 7763,2.11.0,,tcp,") != std::string::npos);
    CHECK(csv.find("disturbed:1;incomplete:1;nan:1;short:1;throttled:1;unobserved:1") != std::string::npos);
}
