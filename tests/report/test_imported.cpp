// SPDX-License-Identifier: MIT
// Imported runs beside the experiment's own.
#include "core/base/sequences.h"
#include "core/report/files.h"
#include "core/report/imported.h"
#include "core/report/layout.h"
#include "core/spec/basecase.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "tests/report/support/lab.h"
#include "tests/report/support/systems.h"

#include <doctest/doctest.h>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

struct OwnAndImported : Systems
{
    /// One more run, of a log of PyTorch's on two ranks that states these settings, too.
    void import(Settings told)
    {
        Settings settings = {{"engine", Value("pytorch")},
                             {"model", Value("alexnet")},
                             {"ranks", Value(std::int64_t{2})},
                             {"site", Value("imported")},
                             {"plan", Value(std::string(spec::kOwnPlan))}};
        for (const auto& [key, value] : told)
            settings[key] = value;
        store::MeasuredRun run = runs.front();
        run.row.id = RunId::random();
        run.row.kind = RunKind::imported;
        run.row.settings = settings;
        run.ranks.resize(static_cast<std::size_t>(*integerOf(settings, "ranks")), run.ranks.front());
        run.row.configurationKey = "imported " + std::to_string(runs.size());
        runs.push_back(run);
    }
    FigureData figureOf(const ComparedKind& kind = kThroughput) { return figure(compared(experiment, runs, kind)); }

    spec::Experiment experiment = plansExperiment({1, 2}, 6, {"alexnet"});
    std::vector<store::MeasuredRun> runs = measure(experiment, usualMeasurement);
};

} // namespace

TEST_CASE_FIXTURE(OwnAndImported, "imported runs of another model or device stand apart, under their names")
{
    const Comparison own = compared(experiment, runs, kThroughput);
    CHECK_FALSE(varied(own, "model"));
    import({{"model", Value("resnet50")}, { "device", Value("cuda") }});
    const Comparison both = compared(experiment, runs, kThroughput);
    REQUIRE(varied(both, "model"));
    CHECK(varied(both, "device"));
    const FigureData drawn = figure(both);
    REQUIRE(pointsOf(drawn).panels.size() == 2);
    CHECK(pointsOf(drawn).panels[0].title == "AlexNet");
    CHECK(pointsOf(drawn).panels[1].title == "ResNet-50");
    CHECK(says(drawn.title, "AlexNet and ResNet-50"));
}

TEST_CASE_FIXTURE(OwnAndImported,
                  "cells that were never launched are missing where the experiment runs, not among imports")
{
    std::erase_if(runs, [](const store::MeasuredRun& run) { return textOf(run.row.settings, "plan") == "buckets"; });
    import({});
    runs.back().row.configurationKey = "!"; // before all others
    const Comparison both = compared(experiment, runs, kThroughput);
    CHECK(both.groups.size() == 4);
    CHECK(groupWith(both, alexnetOn(2, "buckets")).n() == 0);
    for (const Group& group : both.groups)
        CHECK((textOf(group.settings, "site") == "imported") == isImported(group));
}

TEST_CASE_FIXTURE(OwnAndImported, "a copied table marks the rows that were imported, or the title where all were")
{
    import({});
    const Comparison both = compared(experiment, runs, kThroughput);
    const Table table = summaryTable(both);
    REQUIRE(table.columns.back().title == "Mark");
    for (const TableRow& row : table.rows)
        CHECK(row.cells.back().text() == (isImported(both.groups[row.group]) ? "imported" : ""));
    std::erase_if(runs, [](const store::MeasuredRun& run) { return run.row.kind != RunKind::imported; });
    CHECK(says(written("tsv", summaryTable(compared(experiment, runs, kThroughput))), "\timages/s, imported\t"));
}

TEST_CASE_FIXTURE(OwnAndImported, "a device that a log does not tell is no other one")
{
    import({});
    CHECK_FALSE(varied(compared(experiment, runs, kThroughput), "device"));
}

TEST_CASE_FIXTURE(OwnAndImported,
                  "a figure names the settings in which imported runs differ, of those that their logs tell")
{
    import({});
    CHECK_FALSE(says(figureOf().caption, "differ"));
    runs.pop_back();
    import({{"batch_per_rank", Value(std::int64_t{32})}, { "precision", Value("bf16") }});
    CHECK(says(figureOf().caption, "Imported runs differ in batch per rank (imported: 32; own: 8) and precision "
                                   "(imported: bf16; own: fp32)."));
    CHECK(std::ranges::any_of(figureOf().notes, [](const std::string& note) {
        return says(note, "imported runs differ from the experiment's own in batch per rank");
    }));
}

TEST_CASE_FIXTURE(OwnAndImported, "the batch in a caption does not stand for imported runs that have not told theirs")
{
    CHECK(says(figureOf().caption, "under weak scaling (8 images per rank) on"));
    import({});
    CHECK(says(figureOf().caption, "under weak scaling (8 images per rank; batch not told for imported runs) on"));
    CHECK(contains(figureOf().notes, std::string("batch not told for imported runs")));
    import({{ "batch_per_rank", Value(std::int64_t{8}) }});
    CHECK(says(figureOf().caption, "(8 images per rank; batch not told for some imported runs)"));
}

TEST_CASE_FIXTURE(OwnAndImported, "machine and precision in a caption do not stand for imported runs that tell neither")
{
    for (store::MeasuredRun& run : runs)
        run.facts = {"AMD EPYC 7763", "2.11.0", "tcp"};
    const std::string ofAll = "of warm-up; 224 pixels, fp32; AMD EPYC 7763, torch 2.11.0, network tcp.";
    CHECK_MESSAGE(says(figureOf().caption, ofAll), figureOf().caption);
    import({});
    runs.back().facts = {};
    const std::string apart = "of warm-up; own runs: 224 pixels, fp32, AMD EPYC 7763, torch 2.11.0, network tcp.";
    CHECK_MESSAGE(says(figureOf().caption, apart), figureOf().caption);
    runs.back().row.settings["precision"] = Value("fp32");
    const std::string told = "of warm-up; fp32; own runs: 224 pixels, AMD EPYC 7763, torch 2.11.0, network tcp.";
    CHECK_MESSAGE(says(figureOf().caption, told), figureOf().caption);
}

TEST_CASE_FIXTURE(OwnAndImported, "imported runs that no factor tells apart are by the settings in which they differ")
{
    for (const std::int64_t batch : {64, 32})
        import({{"engine", Value("mxnet")}, { "batch_per_rank", Value(batch) }});
    const Comparison both = compared(experiment, runs, kThroughput);
    REQUIRE(varied(both, "batch_per_rank"));
    const FigureData drawn = figure(both);
    std::vector<std::string> names;
    for (const Series& series : pointsOf(drawn).panels.at(0).series) {
        for (std::size_t i = 1; i < series.points.size(); ++i)
            CHECK(series.points[i - 1].x < series.points[i].x);
        if (says(series.name, "MXNet"))
            names.push_back(series.name);
    }
    REQUIRE(names.size() == 2);
    CHECK_MESSAGE(says(names[0], "batch per rank 32"), names[0]);
    CHECK_MESSAGE(says(names[1], "batch per rank 64"), names[1]);
    CHECK(says(figureCsv(drawn), "batch_per_rank"));
    runs.pop_back(); // a single one is told apart by its engine
    CHECK_FALSE(varied(compared(experiment, runs, kThroughput), "batch_per_rank"));
}

TEST_CASE_FIXTURE(OwnAndImported, "a log that does not tell the factor along x stands behind its levels")
{
    experiment.factors.push_back({"precision", {Value("fp32"), Value("bf16")}});
    runs = measure(experiment, usualMeasurement);
    import({});
    const FigureRequest layout{"precision", "engine", ""};
    const Points points = pointsOf(figure(compared(experiment, runs, kThroughput, layout), layout));
    CHECK(points.x.labels == std::vector<std::string>{"fp32", "bf16", "precision not told"});
    for (const Series& series : points.panels.at(0).series)
        for (const Point& point : series.points)
            CHECK((point.x == 2) == says(series.name, "PyTorch"));
}

TEST_CASE_FIXTURE(OwnAndImported, "the batch in a caption is the one that is held by those that tell theirs")
{
    experiment.fixed.erase("batch_per_rank");
    experiment.fixed["batch_global"] = Value(std::int64_t{8});
    runs = measure(experiment, usualMeasurement);
    import({{"ranks", Value(std::int64_t{1})}, { "plan", Value(std::string(spec::kNoPlan)) }});
    runs.back().row.configurationKey = "!"; // before all others
    CHECK_MESSAGE(says(figureOf().caption, "under strong scaling (8 images in all; batch not told for imported runs)"),
                  figureOf().caption);
}

TEST_CASE_FIXTURE(OwnAndImported, "an imported run that tells the same batch is covered by what the caption says")
{
    import({{ "batch_per_rank", Value(std::int64_t{8}) }});
    CHECK_FALSE(says(figureOf().caption, "not told"));
    CHECK_FALSE(contains(figureOf().notes, std::string("batch not told for imported runs")));
}

TEST_CASE_FIXTURE(OwnAndImported, "logs that do not tell their batch are under no known scaling")
{
    runs.resize(1);
    import({{ "ranks", Value(std::int64_t{1}) }});
    import({});
    runs.erase(runs.begin());
    experiment.base.clear();
    CHECK(compared(experiment, runs, kThroughput).scaling == spec::Scaling::none);
    CHECK(says(figureOf().caption, " (batch not told for imported runs) on 1–2"));
}

TEST_CASE_FIXTURE(OwnAndImported, "what a log tells and the experiment does not say differs, too")
{
    import({{ "data_path", Value("/pictures") }});
    CHECK(says(figureOf().caption, "Imported runs differ in data folder (imported: /pictures; own: not said)."));
}

TEST_CASE_FIXTURE(OwnAndImported, "a base case differs from a log only in what the log tells")
{
    import({{"threads_per_rank", Value(std::int64_t{3})}, { "batch_per_rank", Value(std::int64_t{8}) }});
    const Comparison speedups = compared(experiment, runs, kSpeedup);
    const Group& imported = groupWith(speedups, {{"engine", Value("pytorch")}});
    for (const auto& [key, levels] : imported.differs)
        CHECK_MESSAGE(imported.settings.contains(key), key);
}

TEST_CASE_FIXTURE(OwnAndImported, "runs that count tokens are set against no others, and on no axis with them")
{
    import({{"ranks", Value(std::int64_t{1})},
            {"plan", Value(std::string(spec::kNoPlan))},
            {"batch_per_rank", Value(std::int64_t{8})},
            { "items",
              Value("tokens") }});
    import({{ "batch_per_rank", Value(std::int64_t{8}) }});
    const Settings ofImages = {{"engine", Value("pytorch")}, {"ranks", Value(std::int64_t{2})}};
    CHECK_FALSE(groupWith(compared(experiment, runs, kSpeedup), ofImages).base);
    CompareRequest request;
    request.experiment = experiment;
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          "The runs of “plans” count images and tokens: images/s and tokens/s are not compared.");
    request.leftOut = {{"engine", {Value("ringside")}}, {"ranks", {Value(std::int64_t{2})}}};
    const auto left = compare(runs, request);
    REQUIRE(left);
    CHECK(figure(*left).unit == "tokens/s");
}

TEST_CASE_FIXTURE(OwnAndImported, "logs that count tokens are not ranked with those that count images")
{
    const auto importOf = [&](const char* engine, const char* items) {
        import({{"engine", Value(engine)}, {"batch_per_rank", Value(std::int64_t{8})}, { "items", Value(items) }});
    };
    importOf("pytorch", "tokens");
    importOf("mxnet", "images");
    importOf("keras", "images");
    const Comparison speedups = compared(experiment, runs, kSpeedup, {"ranks", "engine", ""});
    const auto isRanked = [&](const char* engine) {
        return groupWith(speedups, {{"engine", Value(engine)}}).againstBest.has_value();
    };
    CHECK(isRanked("mxnet"));
    CHECK(isRanked("keras"));
    CHECK_FALSE(isRanked("pytorch"));
}

TEST_CASE_FIXTURE(OwnAndImported, "imported runs have a base case among them, which is its own")
{
    const auto ofRanks = [](std::int64_t ranks, const char* plan) {
        return Settings{{"batch_per_rank", Value(std::int64_t{8})}, {"ranks", Value(ranks)}, {"plan", Value(plan)}};
    };
    import(ofRanks(1, spec::kNoPlan));
    import(ofRanks(2, spec::kOwnPlan));
    const Comparison speedups = compared(experiment, runs, kSpeedup);
    const auto imported = [&](std::int64_t ranks) -> const Group& {
        return groupWith(speedups, {{"engine", Value("pytorch")}, {"ranks", Value(ranks)}});
    };
    CHECK(imported(1).isBase);
    CHECK(imported(1).speedup.value == 1.0);
    REQUIRE(imported(2).base);
    CHECK(imported(2).base == imported(1).base);
    CHECK(imported(2).differs.empty()); // a single rank has no plan, and nothing can give it one
}

TEST_CASE_FIXTURE(OwnAndImported, "of several base cases that fit, the one that tells the same settings is taken")
{
    const auto importBoth = [&](Settings told) {
        told["batch_per_rank"] = std::int64_t{8};
        for (const std::int64_t ranks : {1, 2}) {
            told["ranks"] = ranks;
            told["plan"] = std::string(ranks == 1 ? spec::kNoPlan : spec::kOwnPlan);
            import(told);
        }
    };
    importBoth({});
    importBoth({{"precision", Value("fp32")}}); // as it is by default
    const Comparison speedups = compared(experiment, runs, kSpeedup);
    const auto imported = [&](std::int64_t ranks, bool tells) -> const Group& {
        return *std::ranges::find_if(speedups.groups, [&](const Group& group) {
            return isImported(group) && spec::ranksOf(group.settings) == ranks &&
                   group.settings.contains("precision") == tells;
        });
    };
    for (const bool tells : {false, true}) {
        CHECK(imported(1, tells).isBase);
        CHECK(imported(2, tells).base == imported(1, tells).base);
    }
}

/// Imported runs alone, of a program whose table lists no settings.
struct ImportedAlone : OwnAndImported
{
    /// Two logs that state these settings, on one rank and on two.
    void importBoth(Settings told)
    {
        told["engine"] = "deepspeed";
        told["batch_per_rank"] = std::int64_t{8};
        for (const std::int64_t ranks : {1, 2}) {
            told["ranks"] = ranks;
            told["plan"] = std::string(ranks == 1 ? spec::kNoPlan : spec::kOwnPlan);
            import(told);
        }
    }
    Comparison against(const Settings& rule)
    {
        std::erase_if(runs, [](const store::MeasuredRun& run) { return run.row.kind != RunKind::imported; });
        experiment.base = rule;
        return compared(experiment, runs, kSpeedup);
    }
    /// Settings of the base case of the run on two ranks that states this.
    static Settings baseOf(const Comparison& speedups, const Settings& told)
    {
        Settings wanted = told;
        wanted["ranks"] = std::int64_t{2};
        wanted["engine"] = "deepspeed"; // cells of the experiment's own are missing
        const Group& group = groupWith(speedups, wanted);
        return group.base ? speedups.cases[*group.base].settings : Settings();
    }
};

TEST_CASE_FIXTURE(ImportedAlone, "each level that logs state has its own base case, whatever the program's table lists")
{
    for (const char* key : {"precision", "device"}) {
        const std::vector<store::MeasuredRun> own = {runs.front()};
        runs = own;
        const std::vector<Settings> all = {{{key, Value("a")}}, {{key, Value("b")}}, {{key, Value("c")}}};
        for (const Settings& told : all)
            importBoth(told);
        const Comparison speedups = against({{"ranks", Value(std::int64_t{1})}});
        for (const Settings& told : all)
            CHECK(spec::matches(baseOf(speedups, told), told));
    }
}

TEST_CASE_FIXTURE(ImportedAlone, "a base case has the level that its rule names")
{
    const Settings full = {{"precision", Value("fp32")}}, half = {{"precision", Value("fp16")}};
    importBoth(half);
    importBoth(full);
    const Comparison speedups = against({{"ranks", Value(std::int64_t{1})}, {"precision", Value("fp32")}});
    for (const Settings& told : {full, half})
        CHECK(spec::matches(baseOf(speedups, told), full));
}

TEST_CASE_FIXTURE(ImportedAlone, "a log that does not state what two base cases differ in has neither")
{
    importBoth({{"precision", Value("fp32")}});
    importBoth({{"precision", Value("fp16")}});
    importBoth({});
    std::erase_if(runs, [](const store::MeasuredRun& run) {
        return integerOf(run.row.settings, "ranks") == 1 && !textOf(run.row.settings, "precision");
    });
    const Comparison speedups = against({{"ranks", Value(std::int64_t{1})}});
    CHECK(std::ranges::any_of(speedups.groups,
                              [](const Group& group) { return !group.settings.contains("precision") && !group.base; }));
}

TEST_CASE_FIXTURE(OwnAndImported,
                  "logs that do not tell their batch are no base case, not even of themselves, which is said")
{
    import({{"ranks", Value(std::int64_t{1})}, { "plan", Value(std::string(spec::kNoPlan)) }});
    import({});
    runs.erase(runs.begin(), runs.end() - 2);
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    const auto check = [&] {
        const auto refused = compare(runs, request);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::usage);
        CHECK(
            refused.error().message ==
            "No finished run of “plans” is a base case (ranks = 1): logs that were imported do not tell their batch.");
        CHECK(says(refused.error().hint, "Say it on import, by “--set batch_per_rank=…”;"));
    };
    check();
    request.leftOut = {{"ranks", {Value(std::int64_t{1})}}}; // it might be one all the same
    check();
}

TEST_CASE_FIXTURE(OwnAndImported, "a base case that is not measured is to be finished, whatever other logs tell")
{
    import({});
    std::erase_if(runs, [](const store::MeasuredRun& run) { return integerOf(run.row.settings, "ranks") == 1; });
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "No finished run of “plans” is a base case (ranks = 1).");
}

TEST_CASE_FIXTURE(OwnAndImported, "a site is a level that can be left out")
{
    const auto rule = spec::parseRule("site=imported", experiment);
    REQUIRE_MESSAGE(rule, rule.error().text());
    CHECK(*rule == Settings{{"site", Value("imported")}});
}
