// SPDX-License-Identifier: MIT
#include "core/protocol/calibration.h"
#include "core/report/comparison.h"
#include "core/report/figure.h"
#include "core/spec/calibration.h"
#include "core/stats/interval.h"
#include "core/stats/quantile.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

Result<Comparison> compareWith(const std::vector<store::MeasuredRun>& runs, const spec::Experiment& experiment,
                               const ComparedKind& kind, std::optional<Settings> base)
{
    CompareRequest request;
    request.kind = &kind;
    request.experiment = experiment;
    request.base = std::move(base);
    return compare(runs, request);
}

} // namespace

TEST_CASE("Runs are grouped by configuration, in the order of the levels")
{
    const auto experiment = plansExperiment({1, 2});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    REQUIRE(comparison.groups.size() == 6);
    std::string order;
    for (const Group& group : comparison.groups)
        order += *textOf(group.settings, "model") + *textOf(group.settings, "plan") + " ";
    CHECK(order == "alexnetnone alexnetone alexnetbuckets resnet50none resnet50one resnet50buckets ");
    CHECK(comparison.chosen == 36);
    CHECK(comparison.total == 36);
}

TEST_CASE("A configuration's value is the median of its runs with its rank interval")
{
    const auto experiment = plansExperiment({1, 2});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    for (const Group& group : comparison.groups) {
        CHECK(*group.throughput.value == doctest::Approx(stats::median(group.rates)));
        CHECK(*group.throughput.low == doctest::Approx(stats::medianInterval(group.rates)->low));
        CHECK(*group.throughput.high == doctest::Approx(stats::medianInterval(group.rates)->high));
    }
}

TEST_CASE("The base case is found for each combination of the other factors, the collapsed plan included")
{
    const auto experiment = plansExperiment({1, 2, 4});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    REQUIRE(comparison.cases.size() == 2);
    for (const BaseCase& base : comparison.cases) {
        CHECK(*textOf(base.settings, "plan") == "none");
        CHECK(base.n == 6);
    }
    for (const Group& group : comparison.groups) {
        REQUIRE(group.base);
        CHECK(comparison.cases[*group.base].settings.at("model") == group.settings.at("model"));
    }
}

TEST_CASE("The base case's own speed-up is exactly 1 without an interval")
{
    const auto experiment = plansExperiment({1, 2});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    const Group& base = groupWith(comparison, alexnetOn(1, "none"));
    CHECK(base.isBase);
    CHECK(*base.speedup.value == 1);
    CHECK(*base.efficiency.value == 1);
    CHECK_FALSE(base.speedup.low);
    CHECK_FALSE(base.efficiency.high);
}

TEST_CASE("A base case with as many ranks as what is set against it has no efficiency either")
{
    const auto experiment = plansExperiment({2}, 6, {"alexnet"});
    const auto comparison = compareWith(measure(experiment, usualMeasurement), experiment, kSpeedup,
                                        Settings{{"plan", Value("one")}});
    REQUIRE(comparison);
    const Group& base = groupWith(*comparison, alexnetOn(2, "one"));
    CHECK(base.isBase);
    CHECK(*base.speedup.value == 1);
    CHECK_FALSE(base.efficiency.value);
}

TEST_CASE("Efficiency is the speed-up over the ratio of ranks, for every group")
{
    const auto experiment = plansExperiment({1, 2, 4});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kEfficiency);
    for (const Group& group : comparison.groups)
        CHECK(*group.efficiency.value == doctest::Approx(*group.speedup.value / *numberOf(group.settings, "ranks")));
    CHECK(*groupWith(comparison, alexnetOn(4, "buckets")).efficiency.value < 1);
}

TEST_CASE("Efficiency is taken relative to a base case of several ranks")
{
    const auto experiment = plansExperiment({2, 4});
    const auto comparison = compareWith(measure(experiment, usualMeasurement), experiment, kEfficiency,
                                        Settings{{"ranks", Value(std::int64_t{2})}});
    REQUIRE(comparison);
    const Group& group = groupWith(*comparison, alexnetOn(4, "one"));
    CHECK(*group.efficiency.value == doctest::Approx(*group.speedup.value / 2));
}

TEST_CASE("No interval of a ratio below six runs on either side")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    std::erase_if(runs,
                  [](const auto& run) { return run.row.repeat == 6 && *numberOf(run.row.settings, "ranks") == 1; });
    const Comparison comparison = compared(experiment, runs, kSpeedup);
    const Group& group = groupWith(comparison, alexnetOn(2, "one"));
    CHECK(group.n() == 6);
    CHECK(group.throughput.low);
    CHECK(group.speedup.value);
    CHECK_FALSE(group.speedup.low);
}

TEST_CASE("Without a base case there is no speed-up, and the error says what to do")
{
    auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    SUBCASE("none is named")
    {
        experiment.base.clear();
        const auto comparison = compareWith(runs, experiment, kSpeedup, std::nullopt);
        REQUIRE_FALSE(comparison);
        CHECK(comparison.error().code == ErrorCode::usage);
        CHECK_FALSE(comparison.error().hint.empty());
        CHECK(compareWith(runs, experiment, kThroughput, std::nullopt));
    }
    SUBCASE("none of its runs is done")
    {
        for (auto& run : runs)
            if (*numberOf(run.row.settings, "ranks") == 1) {
                run.row.state = RunState::queued;
                run.ranks.clear();
            }
        const auto comparison = compareWith(runs, experiment, kEfficiency, std::nullopt);
        REQUIRE_FALSE(comparison);
        CHECK(comparison.error().code == ErrorCode::usage);
        CHECK(comparison.error().message.find("ranks = 1") != std::string::npos);
        CHECK(comparison.error().hint.find("ranks=1, ranks=2, plan=") != std::string::npos);
    }
}

TEST_CASE("The window of a run is that of its slowest rank, and has the iterations that all ranks have")
{
    store::MeasuredRun run;
    run.row.warmup = 3;
    run.ranks.resize(2);
    run.ranks[0].iterations = 40;
    run.ranks[0].lengthNs = 4'000'000'000;
    run.ranks[1].iterations = 39;
    run.ranks[1].lengthNs = 5'500'000'000;
    CHECK(windowOf(run) == stats::Window{3, 39, 5.5});
    CHECK_FALSE(stats::isShort(windowOf(run)));
    CHECK(stats::isShort({3, 29, 5.5}));
    CHECK(stats::isShort({3, 39, 4.9}));
}

TEST_CASE("Attempts that failed stay counted after a retry")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (*textOf(run.row.settings, "plan") == "one" && *textOf(run.row.settings, "model") == "alexnet")
            run.row.failedAttempts = run.row.repeat == 1 ? 2 : 0;
    CompareRequest request;
    request.experiment = experiment;
    const auto comparison = compare(runs, request);
    CHECK(groupWith(*comparison, alexnetOn(2, "one")).failed == 2);
    CHECK(groupWith(*comparison, alexnetOn(2, "one")).n() == 6);
}

TEST_CASE("Trials, runs outside the matrix and unfinished runs are not compared")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    runs[0].row.kind = RunKind::trial;
    runs[1].row.inMatrix = false;
    runs[2].row.state = RunState::running;
    const Comparison comparison = compared(experiment, runs, kThroughput);
    CHECK(comparison.chosen == 33);
    CHECK(comparison.total == 34);
}

TEST_CASE("A calibration trains nothing and is not compared")
{
    auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    SUBCASE("an experiment that calibrates is refused in words")
    {
        experiment = spec::calibrationExperiment("alder", {}, 1);
        const auto comparison = compareWith(runs, experiment, kThroughput, std::nullopt);
        REQUIRE_FALSE(comparison);
        CHECK(comparison.error().code == ErrorCode::usage);
        CHECK(comparison.error().message ==
              "“calibration-alder” measures what alder can do; it trains nothing that could be compared.");
        CHECK(comparison.error().hint.find("calibrate alder --show") != std::string::npos);
        CHECK(whyNotCompared(experiment));
    }
    SUBCASE("among other runs it is left out")
    {
        CHECK_FALSE(whyNotCompared(experiment));
        Settings calibration = runs[0].row.settings;
        calibration["engine"] = std::string(kCalibrationEngine);
        runs[0].row.settings = calibration;
        CHECK(compared(experiment, runs, kThroughput).total == 35);
    }
}

TEST_CASE("A level that is left out is not shown but can still be the base case")
{
    const auto experiment = plansExperiment({1, 2});
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    request.leftOut = {{"ranks", {Value(std::int64_t{1})}}};
    const auto comparison = compare(measure(experiment, usualMeasurement), request);
    REQUIRE(comparison);
    CHECK(comparison->groups.size() == 4);
    for (const Group& group : comparison->groups)
        CHECK(group.speedup.value);
}

TEST_CASE("The throughput of images and of sequences is not compared; ratios and times are")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "gpt2"});
    const auto runs = measure(experiment, usualMeasurement);
    CompareRequest request;
    request.experiment = experiment;
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message ==
          "The runs of “plans” count images and sequences: images/s and sequences/s are not compared.");
    CHECK(refused.error().hint ==
          "Show speed-up, efficiency or phases, or leave out the models or engines of all kinds but one.");
    for (const ComparedKind* kind : {&kSpeedup, &kEfficiency, &kPhaseStacks})
        CHECK(itemsOf(compared(experiment, runs, *kind)) == Items::mixed);
    request.leftOut = {{"model", {Value("alexnet")}}};
    const auto left = compare(runs, request);
    REQUIRE(left);
    CHECK(itemsOf(*left) == Items::sequences);
}

TEST_CASE("A model is no base case of another one, and the refusal says what to choose")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "resnet50", "gpt2"});
    const auto runs = measure(experiment, usualMeasurement);
    const auto refused = compareWith(runs, experiment, kSpeedup, Settings{{"model", Value("alexnet")}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message == "AlexNet is no base case of ResNet-50: the work of an iteration is not the same.");
    CHECK(refused.error().hint == "Choose a base case that each has of its own, such as ranks = 1.");
    CHECK(compareWith(runs, experiment, kPhaseStacks, Settings{{"model", Value("alexnet")}}));
}

TEST_CASE("A base case that stands for several numbers of ranks is refused; one number more makes it one")
{
    const auto experiment = plansExperiment({1, 2, 4});
    const auto runs = measure(experiment, usualMeasurement);
    const Settings one{{"plan", Value("one")}};
    const auto refused = compareWith(runs, experiment, kSpeedup, one);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message == "plan = one is not a single base case: it stands for runs on 1 to 4 ranks.");
    CHECK(refused.error().hint == "Choose ranks = 1, or name the number of ranks as well: ranks = 4, plan = one.");
    const Settings named{{"plan", Value("one")}, {"ranks", Value(std::int64_t{4})}};
    CHECK(compareWith(runs, experiment, kSpeedup, named));
    const auto sameRanks = compareWith(runs, experiment, kEfficiency, named);
    REQUIRE_FALSE(sameRanks);
    CHECK(sameRanks.error().message == "The base case has as many ranks as what is compared with it (4): there is no "
                                       "parallel efficiency between them.");
    CHECK(sameRanks.error().hint == "Choose ranks = 1, or show speed-up.");
}

TEST_CASE("What is refused as a base case gives a table of rates no speed-up either")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "resnet50"});
    const auto runs = measure(experiment, usualMeasurement);
    for (const Settings& rule : {Settings{{"model", Value("alexnet")}}, Settings{{"plan", Value("one")}}}) {
        const auto refused = compareWith(runs, experiment, kSpeedup, rule);
        REQUIRE_FALSE(refused);
        const auto rates = compareWith(runs, experiment, kThroughput, rule);
        REQUIRE(rates);
        CHECK(rates->cases.empty());
        CHECK(rates->noSpeedup == refused.error().message);
        CHECK(nlohmann::json::parse(comparisonToJson(*rates))["base"]["refused"] == refused.error().message);
        CHECK(std::ranges::count(figure(*rates).notes, "there are no speed-ups: " + refused.error().message) == 1);
        for (const Group& group : rates->groups) {
            CHECK_FALSE(group.speedup.value);
            CHECK_FALSE(group.efficiency.value);
            CHECK_FALSE(group.isBase);
        }
    }
    CHECK(groupWith(*compareWith(runs, experiment, kThroughput, {}), alexnetOn(2, "one")).speedup.value);
}

TEST_CASE("What a level sets beside the factors is named, and only then")
{
    auto experiment = plansExperiment({1, 2});
    for (const Group& group : compared(experiment, measure(experiment, usualMeasurement), kSpeedup).groups)
        CHECK(group.differs.empty());
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}},
                        {{"image_size", Value(std::int64_t{128})}, {"precision", Value("bf16")}}}};
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    CHECK(groupWith(comparison, alexnetOn(1, "none")).differs.empty());
    const spec::Differences& differs = groupWith(comparison, alexnetOn(2, "one")).differs;
    REQUIRE(differs.size() == 2);
    CHECK(differs.at("image_size") ==
          std::pair(std::optional(Value(std::int64_t{224})), std::optional(Value(std::int64_t{128}))));
    CHECK(differs.at("precision") == std::pair(std::optional(Value("fp32")), std::optional(Value("bf16"))));
}

TEST_CASE("A single rank has none of a plan that no factor says, either, which is no difference")
{
    auto experiment = plansExperiment({1, 2});
    experiment.factors.pop_back();
    experiment.fixed["plan"] = Value("buckets");
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
    CHECK(groupWith(comparison, alexnetOn(2, "buckets")).differs.empty());
    CHECK(figure(comparison).differs.empty());
}

TEST_CASE("Another processor or torch than the base case's is named; a network is where there are two ranks")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        const bool single = *integerOf(run.row.settings, "ranks") == 1;
        run.facts = {"EPYC", single ? "2.7.0" : "2.11.0", single ? "single" : "mpi: vader"};
    }
    const spec::Differences differs = groupWith(compared(experiment, runs, kSpeedup), alexnetOn(2, "one")).differs;
    REQUIRE(differs.size() == 1);
    CHECK(differs.at("torch") == std::pair(std::optional(Value("2.7.0")), std::optional(Value("2.11.0"))));
}

TEST_CASE("What is not the same in all runs of a cell is said of it")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        const auto ranks = *integerOf(run.row.settings, "ranks");
        run.facts = {"EPYC", ranks == 1 && run.row.repeat > 3 ? "2.7.0" : "2.11.0",
                     ranks == 1 ? "single" : "mpi: vader"};
    }
    const FigureData data = figure(compared(experiment, runs, kThroughput));
    CHECK(std::ranges::count(data.notes, "torch is not the same in all runs of 1 CPU rank: 2.11.0 and 2.7.0") == 1);
    for (auto& run : runs)
        run.facts.torch = "2.11.0";
    CHECK(std::ranges::none_of(figure(compared(experiment, runs, kThroughput)).notes,
                               [](const std::string& note) { return note.find("not the same") != note.npos; }));
}

TEST_CASE("Scaling is weak or strong only where every group holds the batch so")
{
    const auto scalingOf = [](const spec::Experiment& experiment) {
        return spec::nameOf(compared(experiment, measure(experiment, usualMeasurement), kSpeedup).scaling);
    };
    auto experiment = plansExperiment({1, 2});
    CHECK(scalingOf(experiment) == "weak");
    CHECK(scalingOf(plansExperiment({1})) == "none");
    experiment.when = {{{{"model", Value("alexnet")}}, {{"batch_per_rank", Value(std::int64_t{16})}}}};
    CHECK(scalingOf(experiment) == "weak"); // each model for itself
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}}, {{"batch_per_rank", Value(std::int64_t{4})}}}};
    CHECK(scalingOf(experiment) == "mixed");
    experiment.when = {{{{"ranks", Value(std::int64_t{1})}}, {{"batch_global", Value(std::int64_t{8})}}}};
    CHECK(scalingOf(experiment) == "mixed");
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}}, {{"image_size", Value(std::int64_t{128})}}}};
    CHECK(scalingOf(experiment) == "mixed"); // as many pictures per rank, and less work
    experiment.when = {{{{"model", Value("alexnet")}}, {{"image_size", Value(std::int64_t{128})}}}};
    CHECK(scalingOf(experiment) == "weak");
    experiment.fixed.erase("batch_per_rank");
    experiment.when.clear();
    experiment.fixed["batch_global"] = Value(std::int64_t{8});
    CHECK(scalingOf(experiment) == "strong");
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 1) {
            Settings earlier = *run.row.settings; // of a version that knew no sequences
            earlier.erase("sequence_length");
            run.row.settings = earlier;
        }
    CHECK(spec::nameOf(compared(experiment, runs, kSpeedup).scaling) == "strong");
}

TEST_CASE("Models without runs do not count for the unit")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "gpt2"});
    auto runs = measure(experiment, usualMeasurement);
    std::erase_if(runs, [](const auto& run) { return *textOf(run.row.settings, "model") == "alexnet"; });
    const Comparison comparison = compared(experiment, runs, kThroughput);
    CHECK(comparison.groups.size() == 6);
    CHECK(itemsOf(comparison) == Items::sequences);
    const auto models = plansExperiment({1, 2}, 6, {"lstm", "gpt2"});
    CHECK(itemsOf(compared(models, {}, kThroughput)) == Items::images);
    CHECK(itemsOf(compared(models, measure(models, usualMeasurement), kThroughput)) == Items::sequences);
}

namespace {

/// All runs of the experiment at two sites.
std::vector<store::MeasuredRun> measureAtTwoSites(const spec::Experiment& experiment)
{
    std::vector<store::MeasuredRun> runs = measure(experiment, usualMeasurement);
    spec::Experiment there = experiment;
    there.site = "alder";
    for (store::MeasuredRun& run : measure(there, usualMeasurement)) {
        run.row.site = there.site;
        runs.push_back(run);
    }
    return runs;
}

} // namespace

TEST_CASE("Sites are never pooled")
{
    const auto experiment = plansExperiment({1, 2});
    const Comparison comparison = compared(experiment, measureAtTwoSites(experiment), kSpeedup);
    CHECK(comparison.groups.size() == 12);
    CHECK(comparison.cases.size() == 4);
    CHECK(comparison.factors.back().key == "site");
}

TEST_CASE("A cell that was never launched is missing at each site")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    auto runs = measureAtTwoSites(experiment);
    std::erase_if(runs, [](const auto& run) { return textOf(run.row.settings, "plan") == "buckets"; });
    const Comparison comparison = compared(experiment, runs, kThroughput);
    CHECK(comparison.groups.size() == 6);
    for (const char* site : {"local", "alder"})
        CHECK(groupWith(comparison, {{"site", Value(site)}, {"plan", Value("buckets")}}).n() == 0);
}
