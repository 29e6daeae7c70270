// SPDX-License-Identifier: MIT
#include "core/report/figure.h"
#include "core/report/flagsentences.h"
#include "core/spec/plans.h"
#include "tests/report/support/lab.h"

#include <doctest/doctest.h>
#include <map>

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

/// One run failed, one disturbed, and buckets on 4 ranks measured 4 times only.
FigureData markedFigure(const ComparedKind& kind)
{
    const auto experiment = plansExperiment({1, 2, 4}, 6, {"resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    const auto isAt = [](const auto& run, std::int64_t ranks, const char* plan) {
        return *integerOf(run.row.settings, "ranks") == ranks && *textOf(run.row.settings, "plan") == plan;
    };
    for (auto& run : runs) {
        if (isAt(run, 4, "buckets") && run.row.repeat > 4)
            run.row.state = run.row.repeat == 5 ? RunState::failed : RunState::queued;
        if (isAt(run, 2, "one") && run.row.repeat == 1)
            run.row.flags = {"disturbed"};
    }
    return figure(compared(experiment, runs, kind));
}

} // namespace

TEST_CASE("Titles say what is shown of what, and which batch was held fixed")
{
    CHECK(markedFigure(kSpeedup).title == "Speed-up of ResNet-50, weak scaling");
    CHECK(markedFigure(kThroughput).title == "Throughput of ResNet-50");
    CHECK(markedFigure(kPhaseStacks).title == "Where an iteration of ResNet-50 spends its time");
    auto strong = plansExperiment({1, 2});
    strong.fixed.erase("batch_per_rank");
    strong.fixed["batch_global"] = Value(std::int64_t{8});
    const FigureData data = figure(compared(strong, measure(strong, usualMeasurement), kEfficiency));
    CHECK(data.title == "Efficiency of AlexNet and ResNet-50, strong scaling");
    CHECK(says(data.caption, "under strong scaling (8 images in all)"));
}

TEST_CASE("A batch is stated where it is held, the same for all of a model")
{
    auto experiment = plansExperiment({2});
    experiment.fixed.erase("batch_per_rank");
    experiment.when = {{{{"model", Value("alexnet")}}, {{"batch_global", Value(std::int64_t{8})}}},
                       {{{"model", Value("resnet50")}}, {{"batch_per_rank", Value(std::int64_t{16})}}}};
    const auto captionOf = [&] {
        return figure(compared(experiment, measure(experiment, usualMeasurement), kThroughput)).caption;
    };
    CHECK_MESSAGE(says(captionOf(), " (4 images per rank for AlexNet, 16 for ResNet-50) on 2"), captionOf());
    experiment.when.clear();
    experiment.factors.push_back({"batch_per_rank", {Value(std::int64_t{4}), Value(std::int64_t{8})}});
    CHECK_MESSAGE(says(captionOf(), "Throughput of AlexNet and ResNet-50 on 2"), captionOf());
}

TEST_CASE("The key names the interval, open marks and n")
{
    CHECK(markedFigure(kSpeedup).keyNote ==
          "bars: 95 % interval of the ratio · open: n < 6, no interval, single runs as dots · n = 4–6");
    CHECK(markedFigure(kPhaseStacks).keyNote == "whisker: lowest to highest run · n = 4–6");
}

TEST_CASE("Loading beside the phases is named below the figure and in its caption, where there is any")
{
    const auto experiment = plansExperiment({1, 2});
    const auto figureBy = [&](const Model& model) {
        return figure(compared(experiment, measure(experiment, model), kPhaseStacks));
    };
    const FigureData loading = figureBy(loadingMeasurement), none = figureBy(usualMeasurement);
    REQUIRE(loading.notes.size() == 1);
    CHECK(loading.notes[0] == "beside the phases, loader threads read for 1.50–3.00 ms and decode for 30.0–60.0 ms");
    CHECK(says(loading.caption,
               " Beside the phases, no part of the total, loader threads read for 1.50–3.00 ms and decode "
               "for 30.0–60.0 ms an iteration (times of all threads of a rank)."));
    CHECK(none.notes.empty());
    CHECK_FALSE(says(none.caption, "loader threads"));
}

TEST_CASE("Configurations that do not report all phases are named below the figure, in its caption and aloud")
{
    const auto figureBy = [](const spec::Experiment& experiment, const Model& model) {
        return figure(compared(experiment, measure(experiment, model), kPhaseStacks));
    };
    const auto experiment = plansExperiment({1, 2});
    const FigureData less = figureBy(experiment, lessToldMeasurement), all = figureBy(experiment, usualMeasurement);
    REQUIRE(less.notes.size() == 1);
    CHECK(less.notes[0] == "phases that are not told of 2 CPU ranks · one are together in “Not told”");
    CHECK(says(less.caption, " Phases that are not told of 2 CPU ranks · one are together in “Not told”."));
    CHECK(says(less.spoken, " ms, exposed communication not told; 2 CPU ranks · buckets "));
    CHECK(all.notes.empty());
    CHECK_FALSE(says(all.caption + all.spoken, "told"));
    const FigureData many = figureBy(plansExperiment({2, 4, 8, 16}, 1), lessToldMeasurement);
    CHECK(says(many.notes.back(), "not told of 4 configurations are"));
}

TEST_CASE("printed tables have a cell for an unreported value, and none for one that was never measured")
{
    const auto experiment = plansExperiment({2}, 6, {"alexnet"});
    const auto printed =
        kPhaseStacks.printed(figure(compared(experiment, measure(experiment, lessToldMeasurement), kPhaseStacks)));
    REQUIRE(printed.size() == 1);
    REQUIRE(printed[0].rows.size() == 2);
    std::map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < printed[0].columns.size(); ++i)
        columns[printed[0].columns[i].title] = i;
    const auto &one = printed[0].rows[0], &buckets = printed[0].rows[1];
    REQUIRE(one.size() == printed[0].columns.size());
    CHECK(one[columns["Other"]] == "–");
    CHECK(one[columns["Update"]] == "–");
    CHECK(one[columns["Not told"]] != "–");
    CHECK(buckets[columns["Update"]] != "–");
    CHECK(buckets[columns["Not told"]] == "–");
}

TEST_CASE("The caption says base case, n, interval, exceptions, failed and disturbed runs")
{
    const std::string caption = markedFigure(kSpeedup).caption;
    CHECK(says(caption,
               "Speed-up of ResNet-50 under weak scaling (8 images per rank) on 1–4 CPU ranks for two gradient "
               "aggregation plans."));
    CHECK(says(caption, "Base case: 1 CPU rank, 5.830 images/s, n = 6."));
    CHECK(says(caption, "n = 6; 4 CPU ranks · buckets: n = 4"));
    CHECK(says(caption, "95 % bootstrap intervals, not drawn for n < 6."));
    CHECK(says(caption, "1 attempt failed and 1 run was disturbed and kept."));
}

TEST_CASE("The caption says what plans of one's own are, and leaves built-in ones to their names")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    AggregationPlan mine;
    mine.name = "mine";
    mine.collective = Collective::allreduce;
    mine.grouping = Grouping::perTensor;
    mine.schedule = Schedule::overlapped;
    AggregationPlan unused = mine;
    unused.name = "unused";
    experiment.plans = {{"mine", mine}, {"unused", unused}};
    experiment.factors.back().levels.emplace_back("mine");
    const std::string caption = figure(compared(experiment, measure(experiment, usualMeasurement), kSpeedup)).caption;
    CHECK(says(caption, "aggregation plans. Plan mine: a message per tensor, overlapped with backward. Base case: "));
    CHECK_FALSE(says(caption, "Plan buckets"));
    CHECK_FALSE(says(caption, "Plan unused"));
}

TEST_CASE("A batch that goes with the model is named for each")
{
    auto experiment = plansExperiment({1, 2});
    experiment.when = {{{{"model", Value("alexnet")}}, {{"batch_per_rank", Value(std::int64_t{16})}}}};
    const FigureData data = figure(compared(experiment, measure(experiment, usualMeasurement), kSpeedup));
    CHECK(says(data.caption, "(16 images per rank for AlexNet, 8 for ResNet-50)"));
}

TEST_CASE("Batch and base case of a model that takes tokens are in sequences")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"gpt2"});
    const auto runs = measure(experiment, usualMeasurement);
    const FigureData speedup = figure(compared(experiment, runs, kSpeedup));
    CHECK(says(speedup.caption, "(8 sequences per rank)"));
    CHECK(says(speedup.caption, "Base case: 1 CPU rank, 5.830 sequences/s, n = 6."));
    CHECK(pointsOf(figure(compared(experiment, runs, kThroughput))).y.title == "Throughput (sequences/s)");
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks}) {
        const FigureData data = figure(compared(experiment, runs, *kind));
        const auto* points = data.as<Points>();
        for (const std::string& text :
             {data.title, data.caption, data.spoken, points ? points->y.title : stacksOf(data).y.title})
            CHECK_FALSE(says(text, "image"));
    }
}

TEST_CASE("Where images and sequences are trained with each model has its own")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"alexnet", "resnet50", "gpt2"});
    const std::string caption = figure(compared(experiment, measure(experiment, usualMeasurement), kSpeedup)).caption;
    CHECK(says(caption, "(8 images per rank for AlexNet, 8 for ResNet-50, 8 sequences per rank for GPT-2)"));
    CHECK(says(caption, "AlexNet on 1 CPU rank, 61.40 images/s, n = 6; ResNet-50 on 1 CPU rank, 5.830 images/s, n = 6; "
                        "GPT-2 on 1 CPU rank, 5.830 sequences/s, n = 6."));
}

TEST_CASE("Base cases of images and of sequences are no range")
{
    const FigureRequest layout{.x = "ranks", .series = "model", .panels = {}};
    const auto baseTextOf = [&](const std::vector<std::string>& models) {
        const auto experiment = plansExperiment({1, 2}, 6, models);
        const auto comparison = compared(experiment, measure(experiment, usualMeasurement), kSpeedup);
        return pointsOf(figure(comparison, layout)).panels.at(0).baseText.value();
    };
    CHECK(baseTextOf({"alexnet", "gpt2"}) == "base case: 1 CPU rank (2 cases, 61.40 images/s and 5.830 sequences/s)");
    const std::string three = baseTextOf({"alexnet", "resnet50", "gpt2"});
    CHECK(three.starts_with("base case: 1 CPU rank (3 cases, 5.83"));
    CHECK(says(three, "–61.4"));
    CHECK(three.ends_with(" images/s and 5.830 sequences/s)"));
}

TEST_CASE("A batch along x has the unit of what is trained")
{
    const auto title = [](const std::vector<std::string>& models) {
        auto experiment = plansExperiment({1}, 6, models);
        experiment.fixed.erase("batch_per_rank");
        experiment.factors.push_back({"batch_per_rank", {Value(std::int64_t{4}), Value(std::int64_t{8})}});
        const FigureData data = figure(compared(experiment, measure(experiment, usualMeasurement), kEfficiency),
                                       {.x = "batch_per_rank", .series = {}, .panels = {}});
        return pointsOf(data).x.title;
    };
    CHECK(title({"alexnet"}) == "Batch per rank (images)");
    CHECK(title({"gpt2", "lstm"}) == "Batch per rank (sequences)");
    CHECK(title({"alexnet", "gpt2"}) == "Batch per rank (items)");
}

TEST_CASE("The spoken summary has the far end, the ideal and the warnings")
{
    const std::string spoken = markedFigure(kSpeedup).spoken;
    CHECK(says(spoken, "Speed-up of ResNet-50, weak scaling."));
    CHECK(says(spoken, "at 4 CPU ranks: one "));
    CHECK(says(spoken, "with 4 runs"));
    CHECK(says(spoken, "ideal 4"));
    CHECK(says(spoken, "1 run was disturbed and kept."));
}

TEST_CASE("The spoken summary names the far end of what was measured, of each panel its own")
{
    const auto experiment = plansExperiment({1, 2, 4, 8});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (integerOf(run.row.settings, "ranks") == 8 ||
            (integerOf(run.row.settings, "ranks") == 4 && textOf(run.row.settings, "model") == "resnet50")) {
            run.row.state = RunState::failed;
            run.ranks.clear();
        }
    const std::string spoken = figure(compared(experiment, runs, kSpeedup)).spoken;
    CHECK_MESSAGE(says(spoken, "AlexNet: at 4 CPU ranks: one "), spoken);
    CHECK_MESSAGE(says(spoken, "; ideal 4."), spoken);
    CHECK_MESSAGE(says(spoken, "ResNet-50: at 2 CPU ranks: one "), spoken);
    CHECK_MESSAGE(says(spoken, "; ideal 2."), spoken);
}

TEST_CASE("Servers are said not to be counted, where a run had some")
{
    auto experiment = plansExperiment({1, 2});
    experiment.factors.back().levels.emplace_back("mxnet");
    AggregationPlan two = spec::findBuiltInPlan("tensorflow-ps")->plan;
    two.name = "two";
    two.servers = 2;
    experiment.plans = {{"two", two}};
    experiment.factors.back().levels.emplace_back("two");
    const FigureData data = figure(compared(experiment, measure(experiment, usualMeasurement), kEfficiency));
    CHECK(data.notes == std::vector<std::string>{"parameter servers (1 and 2) are not counted as ranks"});
    CHECK(says(data.caption, " Parameter servers (1 and 2) are not counted as ranks."));
    CHECK_FALSE(says(markedFigure(kSpeedup).caption, "servers"));
}

TEST_CASE("What was emulated is said beside every figure and in its caption")
{
    auto experiment = plansExperiment({1, 2});
    experiment.fixed["compute"] = Value(std::string("paced"));
    const FigureData data = figure(compared(experiment, measure(experiment, usualMeasurement), kThroughput));
    CHECK(data.notes == std::vector<std::string>{"emulated: layers were paced, not computed"});
    CHECK(says(data.caption, "Emulated: layers were paced, not computed."));
    CHECK(data.keyNote.starts_with("emulated · "));
    CHECK(pointsOf(data).y.title == "Throughput (images/s), emulated");
    CHECK(stacksOf(figure(compared(experiment, measure(experiment, usualMeasurement), kPhaseStacks))).x.title ==
          "Time per iteration (ms), emulated");
    CHECK_FALSE(says(markedFigure(kSpeedup).caption, "mulated"));
}

TEST_CASE("So is what was serialised on GPUs, and, where phases are shown, a CUDA graph")
{
    auto experiment = plansExperiment({1, 2});
    experiment.fixed["timing"] = Value(std::string("serialised"));
    experiment.fixed["cuda_graph"] = Value(std::string("on"));
    const auto shown = [&](const ComparedKind& kind) {
        return figure(compared(experiment, measure(experiment, usualMeasurement), kind));
    };
    CHECK(shown(kThroughput).notes.empty()); // neither has an effect on a CPU
    experiment.fixed["device"] = Value(std::string("cuda"));
    CHECK(pointsOf(shown(kThroughput)).y.title == "Throughput (images/s), serialised");
    CHECK(shown(kThroughput).notes ==
          std::vector<std::string>{"serialised: the host waited for the GPU at the end of each phase"});
    const FigureData phases = shown(kPhaseStacks);
    CHECK(stacksOf(phases).x.title == "Time per iteration (ms), serialised");
    CHECK(phases.notes.back() == "CUDA graph: forward is counted in backward");
    CHECK(says(phases.caption, " CUDA graph: forward is counted in backward."));
}

TEST_CASE("What holds for a part of the runs on GPUs is said of a part, and on no axis")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    experiment.fixed["device"] = Value("cuda");
    experiment.factors.push_back({"timing", {Value("events"), Value("serialised")}});
    experiment.factors.push_back({"cuda_graph", {Value("off"), Value("on")}});
    auto runs = measure(experiment, usualMeasurement);
    const auto shown = [&](const ComparedKind& kind) { return figure(compared(experiment, runs, kind)); };
    const std::string why = "the host waited for the GPU at the end of each phase";
    const std::string graph = "forward is counted in backward";
    const FigureData both = shown(kPhaseStacks);
    CHECK(stacksOf(both).x.title == "Time per iteration (ms)");
    CHECK(pointsOf(shown(kThroughput)).y.title == "Throughput (images/s)");
    CHECK(both.keyNote.starts_with("serialised in part · CUDA graph in part · "));
    CHECK(says(both.caption, " Serialised in part: " + why + ". CUDA graph in part: " + graph + "."));
    const auto keepOnly = [&](const char* key, const char* level) {
        std::erase_if(runs, [&](const auto& run) { return textOf(run.row.settings, key) != level; });
    };
    keepOnly("timing", "serialised");
    keepOnly("cuda_graph", "off");
    const FigureData one = shown(kPhaseStacks);
    CHECK(stacksOf(one).x.title == "Time per iteration (ms), serialised");
    CHECK(std::ranges::count(one.notes, "serialised: " + why) == 1);
    CHECK(std::ranges::none_of(one.notes, [&](const std::string& note) { return says(note, graph); }));
}

TEST_CASE("Missing cells are counted and named")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (*textOf(run.row.settings, "plan") == "buckets") {
            run.row.state = RunState::queued;
            run.ranks.clear();
        }
    const FigureData data = figure(compared(experiment, runs, kThroughput));
    REQUIRE(data.notes.size() == 1);
    CHECK(data.notes[0] == "4 of 6 cells have runs; missing: AlexNet · 2 CPU ranks · buckets and 1 more");
}

TEST_CASE("What has nothing to show is in neither title nor caption")
{
    const auto experiment = plansExperiment({1, 2});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs)
        if (textOf(run.row.settings, "model") == "resnet50")
            run.row.state = RunState::queued;
        else if (integerOf(run.row.settings, "ranks") == 2)
            run.row.flags = {"disturbed"};
    CompareRequest request;
    request.experiment = experiment;
    request.leaveOutDisturbed = true;
    const FigureData data = figure(*compare(runs, request));
    CHECK(data.title == "Throughput of AlexNet");
    CHECK(data.caption.starts_with("Throughput of AlexNet (8 images per rank) on 1 CPU rank. "));
    CHECK(says(data.caption, "All runs of 2 cells are left out (disturbed 12)."));
    CHECK_FALSE(says(data.caption, "ResNet"));
    for (auto& run : runs)
        run.row.state = RunState::queued;
    CHECK(figure(compared(experiment, runs, kThroughput)).title == "Throughput of AlexNet and ResNet-50");
}

TEST_CASE("What else differs from the base case is on the figure, below it and in its caption")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    experiment.when = {{{{"ranks", Value(std::int64_t{2})}}, {{"batch_per_rank", Value(std::int64_t{4})}}}};
    const auto runs = measure(experiment, usualMeasurement);
    const FigureData data = figure(compared(experiment, runs, kSpeedup));
    CHECK(data.title == "Speed-up of ResNet-50, mixed scaling");
    CHECK(data.differs == "base case differs in batch per rank, too");
    REQUIRE(data.notes.size() == 1);
    CHECK(data.notes[0] == "not only factors differ from the base case: batch per rank (base case: 8; others: 4)");
    CHECK(says(data.caption, " under mixed scaling on 1–2 CPU ranks"));
    CHECK(says(data.caption, " Not only factors differ from the base case: batch per rank (base case: 8; others: 4)."));
    CHECK_FALSE(says(figure(compared(experiment, runs, kThroughput)).caption, "base case"));
}

TEST_CASE("The caption says how long was measured, on what, with which pictures and numbers")
{
    const auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    auto runs = measure(experiment, usualMeasurement);
    for (auto& run : runs) {
        run.row.warmup = 5;
        run.facts = {"AMD EPYC 7763", "2.11.0", *integerOf(run.row.settings, "ranks") == 1 ? "single" : "mpi: vader"};
    }
    const std::string caption = figure(compared(experiment, runs, kSpeedup)).caption;
    CHECK(says(caption, " Measured: 50 iterations ("));
    CHECK(says(caption, " s) after 5 of warm-up; 224 pixels, fp32; AMD EPYC 7763, torch 2.11.0, network mpi: vader."));
}

TEST_CASE("A caption has at most 900 characters, whatever the number of groups and of their runs")
{
    std::vector<std::int64_t> ranks;
    for (std::int64_t count = 1; count <= 37; ++count)
        ranks.push_back(count);
    auto experiment = plansExperiment(ranks, 8, {"alexnet"});
    for (int plan = 0; plan < 12; ++plan) {
        AggregationPlan mine;
        mine.name = "a-plan-with-a-long-name-" + std::to_string(plan);
        mine.collective = Collective::allreduce;
        experiment.plans.emplace(mine.name, mine);
    }
    auto runs = measure(experiment, usualMeasurement);
    std::erase_if(runs, [](const auto& run) { return run.row.repeat > 1 + *integerOf(run.row.settings, "ranks") % 8; });
    for (auto& run : runs)
        run.facts = {std::string(300, 'x'), "2." + std::to_string(run.row.number), "mpi: vader"};
    for (const ComparedKind* kind : {&kThroughput, &kSpeedup, &kEfficiency, &kPhaseStacks}) {
        const std::string caption = figure(compared(experiment, runs, *kind)).caption;
        CAPTURE(caption);
        CHECK(caption.size() <= 900);
        CHECK(says(caption, "n = 1–8"));
    }
    const auto models = plansExperiment(
        {1, 2}, 2,
        {"alexnet", "googlenet", "inceptionv3", "resnet18", "resnet50", "resnet101", "resnet152", "vgg16", "lenet"});
    CHECK(figure(compared(models, measure(models, usualMeasurement), kSpeedup)).caption.size() <= 900);
}

TEST_CASE("Plans that are not exact are marked by name, and below the figure it is said why")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    experiment.factors.back().levels.emplace_back("cntk-1bit");
    const auto runs = measure(experiment, usualMeasurement);
    const FigureData data = figure(compared(experiment, runs, kSpeedup));
    CHECK(pointsOf(data).panels[0].series.back().name == "cntk-1bit†");
    CHECK(pointsOf(data).panels[0].series[1].name == "one");
    CHECK(pointsOf(data).y.title == "Speed-up (ratio)"); // exact ones are there, too
    const std::string why = "lossy: gradients are compressed, so other models are trained than by exact plans";
    CHECK(says(data.caption, "† " + why + "."));
    CHECK(says(data.keyNote, "† lossy"));
    CHECK(stacksOf(figure(compared(experiment, runs, kPhaseStacks))).panels[0].stacks.back().tick == "2 · cntk-1bit†");
}

TEST_CASE("A plan is marked lossy where it compresses and asynchronous where its workers do not wait, or both")
{
    auto experiment = plansExperiment({2}, 6, {"resnet50"});
    AggregationPlan served;
    served.collective = Collective::parameterServer;
    served.asynchronous = true;
    for (const char* name : {"asynchronous", "both"}) {
        served.name = name;
        experiment.plans[name] = served;
    }
    experiment.plans["both"].compression = Compression::fp16;
    experiment.factors.back().levels = {Value("one"), Value("asynchronous"), Value("both")};
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    using Flags = std::map<std::string, int>;
    CHECK(comparison.groups[0].flags == Flags());
    CHECK(comparison.groups[1].flags == Flags{{"asynchronous", 6}});
    CHECK(comparison.groups[2].flags == Flags{{"asynchronous", 6}, {"lossy", 6}});
    CHECK(says(figure(comparison).caption, "workers do not wait for each other"));
}

TEST_CASE("Where GPUs and CPUs are compared, titles say ranks")
{
    auto experiment = plansExperiment({1, 2}, 6, {"resnet50"});
    experiment.fixed.erase("device");
    experiment.factors.push_back({"device", {Value("cpu"), Value("cuda")}});
    const Comparison comparison = compared(experiment, measure(experiment, usualMeasurement), kThroughput);
    CHECK(pointsOf(figure(comparison)).x.title == "Ranks (count)");
    CHECK(says(figure(comparison).caption, " on 1–2 ranks"));
    CHECK(stacksOf(figure(compared(experiment, measure(experiment, usualMeasurement), kPhaseStacks))).y.title ==
          "Ranks · Plan · Device");
}

TEST_CASE("A reason of other programs names the host where it is known")
{
    store::FlagReason why;
    why.code = store::flagcode::kForeignCores;
    why.rank = 3;
    why.value = 0.4;
    CHECK(sentenceOf(why) == "Rank 3: other programs used 40 % of its cores for a while.");
    why.host = "n7";
    CHECK(sentenceOf(why) == "Rank 3 of n7: other programs used 40 % of its cores for a while.");
    why.ranksPerProcess = 2;
    CHECK(sentenceOf(why) == "Process 3 (ranks 6–7) of n7: other programs used 40 % of its cores for a while.");
    why.code = store::flagcode::kEndedEarly;
    why.value = 6;
    why.usual = 12;
    CHECK(sentenceOf(why) == "By what it printed, the program ended after 6 of 12 iterations.");
}
