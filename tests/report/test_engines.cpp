// SPDX-License-Identifier: MIT
// Figures, tables and captions where engines are compared, by the tables of real systems.
#include "core/report/analyse.h"
#include "core/report/layout.h"
#include "core/report/table.h"
#include "core/store/edits.h"
#include "tests/report/support/lab.h"
#include "tests/report/support/systems.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

std::vector<Value> words(const std::vector<std::string>& all)
{
    return {all.begin(), all.end()};
}

std::vector<Value> numbers(const std::vector<std::int64_t>& all)
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

/// Measurements of engines that differ: PyTorch is twice as fast as Ringside, MXNet half as fast.
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

CompareRequest speedupOver(const char* engine, const spec::Experiment& experiment)
{
    CompareRequest request;
    request.kind = &kSpeedup;
    request.experiment = experiment;
    request.base = {{"engine", Value(engine)}};
    return request;
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

TEST_CASE("The single rank of a system has no option that needs more, and the lines of all its levels start there")
{
    const Systems systems;
    auto experiment = enginesExperiment({"pytorch"}, {}, {1, 2, 4});
    experiment.factors[2] = {"pytorch.bucket_cap_mb", numbers({0, 1, 25})};
    const Comparison comparison = comparedBySystem(experiment);
    REQUIRE(comparison.groups.size() == 7);
    const FigureData data = figure(comparison);
    const Points::Panel& panel = pointsOf(data).panels.at(0);
    REQUIRE(panel.series.size() == 4);
    CHECK(panel.series[0].neutral);
    CHECK(panel.series[0].name == "1 CPU rank");
    for (int level = 0; level < 3; ++level)
        CHECK(panel.series[static_cast<std::size_t>(level) + 1].style == level);
    for (const std::string& line : linesOf(panel))
        CHECK_MESSAGE(says(line, ": 1 CPU rank, "), line);
}

TEST_CASE("Systems that do not know the factor along x stand behind its levels, drawn and printed")
{
    const Systems systems;
    auto experiment = enginesExperiment({"ringside", "pytorch", "mxnet"}, {"one"}, {2});
    experiment.factors.push_back({"layout", words({"contiguous", "channels_last"})});
    const FigureRequest layout{"layout", "engine", ""};
    const FigureData data = figure(comparedBySystem(experiment, layout), layout);
    CHECK(pointsOf(data).x.labels == std::vector<std::string>{"contiguous", "channels last", "without layout"});
    for (const Series& series : pointsOf(data).panels.at(0).series)
        for (const Point& point : series.points)
            CHECK((point.x == 2) == series.name.starts_with("MXNet"));
    for (const PrintedPanel& panel : kThroughput.printed(data))
        for (const auto& row : panel.rows)
            CHECK((row[1] == "without layout") == row[0].starts_with("MXNet"));
    CHECK_MESSAGE(says(data.spoken, "at without layout: MXNet"), data.spoken);
}

TEST_CASE("Where some have no number along x, that is no axis of counts, and they are at no number")
{
    const Systems systems;
    const FigureRequest layout{"pytorch.bucket_cap_mb", "engine", ""};
    const auto drawn = [&](const std::vector<std::string>& engines, const std::vector<std::int64_t>& ranks) {
        auto experiment = enginesExperiment(engines, {}, ranks);
        experiment.factors[2] = {"pytorch.bucket_cap_mb", numbers({1, 25})};
        return pointsOf(figure(comparedBySystem(experiment, layout), layout));
    };
    CHECK(drawn({"pytorch"}, {2, 4}).lines);
    const Points single = drawn({"pytorch"}, {1, 2}), others = drawn({"pytorch", "mxnet"}, {2, 4});
    CHECK_FALSE(single.lines);
    CHECK(single.x.labels == std::vector<std::string>{"1", "25", "1 CPU rank"});
    CHECK_FALSE(others.lines);
    REQUIRE(others.x.labels.size() == 3);
    CHECK_MESSAGE(others.x.labels[2].starts_with("without "), others.x.labels[2]);
    for (const Series& series : others.panels.at(0).series)
        for (const Point& point : series.points)
            CHECK((point.x == 2) == series.name.starts_with("MXNet"));
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

TEST_CASE("What no system reports of its background is absent, not 0")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch"}, {"one"}, {2});
    const Comparison comparison = compared(experiment, measure(experiment, loadingMeasurement), kPhaseStacks);
    const auto json = nlohmann::json::parse(comparisonToJson(comparison));
    for (const auto& group : json["groups"]) {
        const bool isOwn = group["factors"]["engine"] == "ringside";
        for (const char* what : {"comm_total", "read", "decode"})
            CHECK(group["background"][what].is_number() == isOwn);
        CHECK(group["hidden"].is_number() == isOwn);
    }
}

TEST_CASE("Systems whose sums are not exact, or not in step, are marked as plans are")
{
    const Systems systems;
    auto experiment = enginesExperiment({"mxnet"}, {"one"}, {2});
    experiment.factors.push_back({"mxnet.kvstore", words({"dist_sync", "dist_async"})});
    experiment.factors.push_back({"mxnet.gradient_compression", words({"none", "2bit"})});
    const Comparison comparison = comparedBySystem(experiment);
    REQUIRE(comparison.groups.size() >= 3);
    for (const Group& group : comparison.groups) {
        CHECK(group.asynchronous == (textOf(group.settings, "mxnet.kvstore") == "dist_async"));
        CHECK(group.lossy == (textOf(group.settings, "mxnet.gradient_compression") == "2bit"));
        const bool isExact = !group.lossy && !group.asynchronous;
        CHECK(markedLabel(group, "engine") == (isExact ? "MXNet" : "MXNet†"));
        CHECK(labelFor(comparison, group, {"engine", "mxnet.kvstore"}).ends_with("†") == false);
        CHECK(labelFor(comparison, group, {"mxnet.kvstore"}).ends_with("†") == !isExact);
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

TEST_CASE("The own way of a system is a series of its own where each engine has a panel")
{
    const Systems systems;
    auto experiment = enginesExperiment({"ringside", "pytorch"}, {"one", "buckets"}, {1, 2});
    const FigureRequest layout{"ranks", "plan", "engine"};
    const FigureData data = figure(comparedBySystem(experiment, layout), layout);
    REQUIRE(pointsOf(data).panels.size() == 2);
    const Points::Panel& pytorch = pointsOf(data).panels[1];
    CHECK(linesOf(pytorch) == std::vector<std::string>{"own: 1 CPU rank, own"});
    CHECK(pytorch.series.back().style == 2); // behind those of the plans that are declared
    experiment.factors.push_back({"precision", words({"fp32", "bf16"})});
    const FigureRequest byPrecision{"ranks", "precision", "engine"};
    const FigureData both = figure(comparedBySystem(experiment, byPrecision), byPrecision);
    std::map<std::string, int> styles;
    for (const Points::Panel& panel : pointsOf(both).panels)
        for (const Series& series : panel.series)
            if (!series.neutral)
                styles[series.name] = series.style;
    CHECK(styles == std::map<std::string, int>{{"one · fp32", 0},
                                               {"buckets · fp32", 1},
                                               {"own · fp32", 2},
                                               {"one · bf16", 3},
                                               {"buckets · bf16", 4},
                                               {"own · bf16", 5}});
}

TEST_CASE("The own way of a system stands apart from a single rank along x and in panels, behind the plans")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch"}, {"one", "buckets"}, {1, 2});
    const auto drawn = [&](const FigureRequest& layout) {
        return pointsOf(figure(comparedBySystem(experiment, layout), layout));
    };
    const Points along = drawn({"plan", "engine", ""}), apart = drawn({"ranks", "engine", "plan"});
    CHECK(along.x.labels == std::vector<std::string>{"one", "buckets", "own", "1 CPU rank"});
    std::map<std::string, double> places;
    for (const Series& series : along.panels.at(0).series)
        places[series.name] = series.points.at(0).x;
    CHECK(places.at("PyTorch · 2 CPU ranks") == 2);
    CHECK(places.at("PyTorch · 1 CPU rank") == 3);
    CHECK(places.at("Ringside · 1 CPU rank") == 3);
    std::vector<std::string> titles;
    for (const Points::Panel& panel : apart.panels)
        titles.push_back(panel.title);
    CHECK(titles == std::vector<std::string>{"1 CPU rank", "one", "buckets", "own"});
}

TEST_CASE("A caption counts only the plans that are declared")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch"}, {"one", "buckets"}, {1, 2});
    CHECK(says(figure(comparedBySystem(experiment)).caption, " for two gradient aggregation plans."));
}

TEST_CASE("Options that no table has any more are named below figures of the runs that were made with them")
{
    const Systems systems;
    auto experiment = enginesExperiment({"ringside", "pytorch"}, {"one"}, {2});
    auto runs = measure(experiment, bySystem);
    const auto notes = [&] { return figure(compared(experiment, runs, kThroughput)).notes; };
    const auto isNamed = [](const std::string& note) { return says(note, "pytorch.gone_cap is in no table here"); };
    CHECK(std::ranges::none_of(notes(), isNamed));
    experiment.fixed["pytorch.gone_cap"] = Value(std::int64_t(25));
    for (store::MeasuredRun& run : runs)
        if (textOf(run.row.settings, "engine") == "pytorch")
            run.row.settings["pytorch.gone_cap"] = Value(std::int64_t(25));
    CHECK(std::ranges::count_if(notes(), isNamed) == 1);
}

TEST_CASE("What was stored is read, though another table has come that lacks an option of it")
{
    const Systems systems;
    auto db = store::Database::openForWriting(systems.folder / "ringside.db");
    REQUIRE_MESSAGE(db, db.error().text());
    const std::string text = "format = 1\nname = \"e\"\n[factors]\npytorch.gone_cap = [25, 50]\n[fixed]\n"
                             "engine = \"pytorch\"\nmodel = \"lenet\"\nbatch_per_rank = 4\nranks = 2\n";
    REQUIRE(store::saveExperiment(*db, {.name = "e", .question = "", .site = "local", .toml = text, .cells = {}}));
    const auto measured = loadMeasured(*db, "e");
    REQUIRE_MESSAGE(measured, measured.error().text());
    CHECK(measured->experiment.factors.front().levels.size() == 2);
}

TEST_CASE("Each system is set against Ringside with the plan of its design, which caption, table and JSON name")
{
    const Systems systems;
    auto experiment = enginesExperiment({"ringside", "pytorch", "mxnet"}, {"one", "ddp", "mxnet"}, {2});
    experiment.base = {{"engine", Value("ringside")}};
    const Comparison comparison = compared(experiment, measure(experiment, bySystem), kSpeedup);
    for (const auto& [system, plan] : {std::pair("pytorch", "ddp"), std::pair("mxnet", "mxnet")}) {
        const Group& group = groupWith(comparison, {{"engine", Value(system)}});
        REQUIRE(group.base);
        CHECK(textOf(comparison.cases[*group.base].settings, "plan") == plan);
    }
    CHECK_MESSAGE(says(figure(comparison).caption,
                       "Base case: engine Ringside (MXNet against plan mxnet, PyTorch against plan ddp) (3 cases"),
                  figure(comparison).caption);
    CHECK_MESSAGE(says(written("tsv", summaryTable(comparison)), "\tRingside · mxnet\n"),
                  written("tsv", summaryTable(comparison)));
    const auto json = nlohmann::json::parse(comparisonToJson(comparison));
    for (const auto& group : json["groups"]) {
        const auto& base = json["base"]["cases"].at(group["base"].get<std::size_t>())["factors"];
        CHECK(base["engine"] == "ringside");
        CHECK((group["factors"]["engine"] != "mxnet" || base["plan"] == "mxnet"));
    }
}

TEST_CASE("A base case that leaves open which runs of another engine it means is refused, with what makes it one")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"ringside", "pytorch", "mxnet"}, {"one", "buckets", "mxnet"}, {1, 2});
    CompareRequest request = speedupOver("ringside", experiment);
    auto runs = measure(experiment, bySystem);
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message == "engine = ringside is not a single base case of PyTorch: it stands for runs with "
                                     "plan = one, plan = buckets and plan = mxnet.");
    CHECK(refused.error().hint == "Name one of them in the base case as well, such as engine = ringside, plan = one.");
    std::erase_if(runs, [](const store::MeasuredRun& run) { return textOf(run.row.settings, "plan") == "buckets"; });
    CHECK_FALSE(compare(runs, request)); // and not one thing today and another one tomorrow
    request.kind = &kThroughput;
    CHECK(compare(runs, request)->noSpeedup == refused.error().message);
    request.kind = &kSpeedup;
    request.base->emplace("plan", Value("one"));
    const auto one = compare(runs, request);
    REQUIRE_MESSAGE(one, one.error().text());
    for (const Group& group : one->groups)
        if (group.n() > 0 && *integerOf(group.settings, "ranks") == 2)
            CHECK(textOf(one->cases.at(group.base.value()).settings, "plan") == "one");
}

TEST_CASE("A base case with two stores of keys is refused where another engine is set against it")
{
    const Systems systems;
    auto experiment = enginesExperiment({"ringside", "mxnet"}, {"one"}, {2});
    experiment.factors.push_back({"mxnet.kvstore", words({"dist_sync", "dist_async"})});
    CompareRequest request = speedupOver("mxnet", experiment);
    const auto runs = measure(experiment, bySystem);
    const auto refused = compare(runs, request);
    REQUIRE_FALSE(refused);
    CHECK(says(refused.error().hint, "engine = mxnet, mxnet.kvstore = dist_sync"));
    request.leftOut = {{"engine", words({"ringside"})}};
    CHECK(compare(runs, request)); // each is its own base case
}

TEST_CASE("Of imported runs there are no servers but those that are told")
{
    const Systems systems;
    const auto importedBy = [](const char* engine, std::optional<std::int64_t> servers) {
        const auto experiment = enginesExperiment({engine}, {"one"}, {2});
        auto runs = measure(experiment, bySystem);
        for (store::MeasuredRun& run : runs) {
            run.row.kind = RunKind::imported;
            Settings settings = run.row.settings;
            settings.erase("mxnet.servers");
            if (servers)
                settings["mxnet.servers"] = Value(*servers);
            run.row.settings = settings;
        }
        return compared(experiment, runs, kThroughput);
    };
    const Comparison untold = importedBy("mxnet", {}), told = importedBy("mxnet", 3), none = importedBy("pytorch", {});
    CHECK(untold.groups.at(0).servers == 0);
    CHECK_FALSE(says(figure(untold).caption, "arameter servers"));
    CHECK(nlohmann::json::parse(comparisonToJson(untold))["groups"][0]["used"]["processes"].is_null());
    CHECK(says(figure(told).caption, "Parameter servers (3) are not counted as ranks."));
    CHECK(none.groups.at(0).used.processes == 2);
}

TEST_CASE("Title and caption name a system that does not vary, with its version, and no model that is not told")
{
    const Systems systems;
    const auto experiment = enginesExperiment({"horovod"}, {"one"}, {2});
    auto runs = measure(experiment, bySystem);
    const auto figureOf = [&] { return figure(compared(experiment, runs, kThroughput)); };
    for (store::MeasuredRun& run : runs)
        run.facts.system = "Horovod 0.21.0";
    CHECK(figureOf().title == "Throughput of LeNet with Horovod");
    CHECK(figureOf().caption.starts_with("Throughput of LeNet with Horovod (8 images per rank) on 2 CPU ranks."));
    CHECK(says(figureOf().caption, "Horovod 0.21.0"));
    runs.back().facts.system = "Horovod 0.28.1";
    CHECK(says(figureOf().caption, "System is not the same in all runs: Horovod 0.21.0 and Horovod 0.28.1."));
    runs.back().facts.system = "Horovod 0.21.0";
    auto scripted = enginesExperiment({"pytorch"}, {"one"}, {2});
    scripted.fixed["pytorch.script"] = Value("/home/me/train.py");
    auto scriptRuns = measure(scripted, bySystem);
    for (store::MeasuredRun& run : scriptRuns)
        run.facts.system = "PyTorch 2.11.0";
    CHECK(says(figure(compared(scripted, scriptRuns, kThroughput)).caption, "PyTorch 2.11.0 (script train.py)"));
    for (store::MeasuredRun& run : runs) {
        Settings settings = run.row.settings;
        settings["model"] = Value(std::string(spec::kModelNotTold));
        run.row.settings = settings;
    }
    CHECK(figureOf().title == "Throughput of a model that is not told with Horovod");
}
