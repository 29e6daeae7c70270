// SPDX-License-Identifier: MIT
#include "core/spec/plans.h"
#include "tests/spec/validation.h"

using namespace ringside;
using namespace ringside::spec;

namespace {

/// One sequence a rank.
Experiment ofText(const char* model)
{
    Experiment experiment = smallExperiment();
    experiment.fixed = {{"model", word(model)}, {"batch_per_rank", number(1)}};
    return experiment;
}

} // namespace

TEST_CASE("a right experiment has no findings")
{
    CHECK(printed(validate(smallExperiment(), twoCores())) == "");
    CHECK(printed(validate(smallExperiment())) == "");
}

TEST_CASE("each thing that can be wrong is named with field, value and what would be right")
{
    using E = Experiment;
    using S = SiteLimits;
    check(
        "findings.txt",
        {
            {"no name", [](E& e, S&) { e.name = " "; }, {"blocking name"}},
            {"control characters", [](E& e, S&) { e.name = "a\nb"; }, {"blocking name"}},
            {"a name that reads otherwise than it is", [](E& e, S&) { e.name = "a\u202Eb"; }, {"blocking name"}},
            {"an option for a name", [](E& e, S&) { e.name = "--help"; }, {"blocking name"}},
            {"a folder for a name", [](E& e, S&) { e.name = ".."; }, {"blocking name"}},
            {"the name of its site's calibrations", [](E& e, S&) { e.name = "calibration-local"; }, {"blocking name"}},
            {"a conditional that changes what it matches",
             [](E& e, S&) {
                 e.fixed["image_size"] = number(64);
                 e.when.push_back({{{"image_size", number(64)}}, {{"image_size", number(80)}}});
             },
             {}},
            {"a conditional that sets a factor",
             [](E& e, S&) {
                 e.when.push_back({{{"ranks", number(2)}}, {{"plan", word("ddp")}}});
             },
             {"warning when[0].set.plan"}},
            {"unknown setting", [](E& e, S&) { e.fixed["rnks"] = number(1); }, {"blocking fixed.rnks"}},
            {"unknown model", [](E& e, S&) { e.fixed["model"] = word("alexnett"); }, {"blocking fixed.model"}},
            {"unknown level",
             [](E& e, S&) {
                 e.factors.push_back({"precision", {word("fp32"), word("fp8")}});
             },
             {"blocking factors.precision[1]"}},
            {"a number in quotes", [](E& e, S&) { e.factors[0].levels = {word("1")}; }, {"blocking factors.ranks[0]"}},
            {"unknown plan", [](E& e, S&) { e.factors[1].levels[1] = word("bucket"); }, {"blocking factors.plan[1]"}},
            {"unknown plan like no other",
             [](E& e, S&) { e.factors[1].levels[1] = word("gossip"); },
             {"blocking factors.plan[1]"}},
            {"no model", [](E& e, S&) { e.fixed.erase("model"); }, {"blocking fixed.model"}},
            {"no batch", [](E& e, S&) { e.fixed.erase("batch_per_rank"); }, {"blocking fixed.batch_per_rank"}},
            {"no levels", [](E& e, S&) { e.factors[0].levels.clear(); }, {"blocking factors.ranks"}},
            {"level twice", [](E& e, S&) { e.factors[0].levels.push_back(number(2)); }, {"warning factors.ranks[2]"}},
            {"factor twice", [](E& e, S&) { e.factors.push_back(e.factors[0]); }, {"blocking factors.ranks"}},
            {"factor and fixed", [](E& e, S&) { e.fixed["ranks"] = number(1); }, {"blocking fixed.ranks"}},
            {"both batches", [](E& e, S&) { e.fixed["batch_global"] = number(32); }, {"blocking fixed.batch_global"}},
            {"batch that does not divide",
             [](E& e, S& s) {
                 e.fixed.erase("batch_per_rank");
                 e.fixed["batch_global"] = number(100);
                 e.factors[0].levels = {number(1), number(8)};
                 s.cores = 8;
             },
             {"blocking fixed.batch_global"}},
            {"ranks do not agree",
             [](E& e, S&) {
                 e.fixed["nodes"] = number(1);
                 e.fixed["ranks_per_node"] = number(2);
             },
             {"blocking factors.ranks[0]"}},
            {"ends at once as hung", [](E& e, S&) { e.runs.hungAfterSeconds = 9; }, {"blocking runs.hung_after_s"}},
            {"may hang for a minute", [](E& e, S&) { e.runs.hungAfterSeconds = 60; }, {}},
            {"few repeats", [](E& e, S&) { e.runs.repeats = 3; }, {"warning runs.repeats"}},
            {"one repeat", [](E& e, S&) { e.runs.repeats = 1; }, {"warning runs.repeats"}},
            {"no repeats", [](E& e, S&) { e.runs.repeats = 0; }, {"blocking runs.repeats"}},
            {"warm-up too long",
             [](E& e, S&) {
                 e.runs.warmup = 300;
                 e.runs.iterations = 250;
             },
             {"blocking runs.warmup"}},
            {"no warm-up", [](E& e, S&) { e.runs.warmup = 0; }, {"hint runs.warmup"}},
            {"no base case", [](E& e, S&) { e.base.clear(); }, {"hint base"}},
            {"base case elsewhere",
             [](E& e, S&) {
                 e.base = {{"ranks", number(3)}};
             },
             {"blocking base"}},
            {"base case lacking for some",
             [](E& e, S&) {
                 e.base = {{"ranks", number(2)}, {"plan", word("one")}};
                 e.factors.push_back({"precision", {word("fp32"), word("bf16")}});
                 e.exclude = {{{"ranks", number(2)}, {"plan", word("one")}, {"precision", word("bf16")}}};
             },
             {"warning base"}},
            {"base case on several numbers of ranks",
             [](E& e, S&) {
                 e.base = {{"precision", word("fp32")}};
                 e.factors.push_back({"precision", {word("fp32"), word("bf16")}});
             },
             {"warning base"}},
            {"base case of other work",
             [](E& e, S&) {
                 e.base = {{"ranks", number(1)}, {"image_size", number(64)}};
                 e.fixed.erase("image_size");
                 e.factors.push_back({"image_size", {number(64), number(128)}});
             },
             {"warning base"}},
            {"conditional that the base case does not have",
             [](E& e, S&) {
                 e.when = {{{{"ranks", number(2)}}, {{"momentum", 0.0}}}};
             },
             {"warning when[0].set.momentum"}},
            {"conditional that has something else than is fixed",
             [](E& e, S&) {
                 e.fixed["momentum"] = 0.9;
                 e.when = {{{{"ranks", number(2)}}, {{"momentum", 0.0}}}};
             },
             {"warning when[0].set.momentum"}},
            {"conditional in vain",
             [](E& e, S&) {
                 e.when = {{{{"ranks", number(7)}}, {{"momentum", 0.0}}}};
             },
             {"warning when[0].match"}},
            {"conditional on nothing",
             [](E& e, S&) {
                 e.when = {{{}, {{"momentum", 0.0}}}};
             },
             {"warning when[0]"}},
            {"exclusion in vain",
             [](E& e, S&) {
                 e.exclude = {{{"ranks", number(7)}}};
             },
             {"warning exclude[0]"}},
            {"plan in vain",
             [](E& e, S&) {
                 e.plans["mine"] = findBuiltInPlan("one")->plan;
                 e.plans["mine"].name = "mine";
             },
             {"hint plans.mine"}},
            {"plan none changed",
             [](E& e, S&) { e.plans["none"] = AggregationPlan{}; },
             {"blocking plans.none", "blocking plans.none"}},
            {"plan with a system's name",
             [](E& e, S&) {
                 e.plans["own"] = findBuiltInPlan("one")->plan;
                 e.plans["own"].name = "own";
             },
             {"blocking plans.own"}},
            {"empty bucket",
             [](E& e, S&) {
                 e.plans["buckets"] = findBuiltInPlan("buckets")->plan;
                 e.plans["buckets"].bucketCapBytes = 0;
             },
             {"blocking plans.buckets"}},
            {"no plan for several ranks",
             [](E& e, S&) { e.factors[1].levels = {word("none")}; },
             {"blocking factors.plan[0]"}},
            {"everything excluded",
             [](E& e, S&) {
                 e.exclude = {{{"model", word("alexnet")}}};
                 e.base.clear();
             },
             {"blocking exclude", "hint base"}},
            {"too small pictures", [](E& e, S&) { e.fixed["image_size"] = number(32); }, {"blocking fixed.image_size"}},
            {"sequences of a model of pictures",
             [](E& e, S&) { e.fixed["sequence_length"] = number(32); },
             {"hint fixed.sequence_length"}},
            {"a model of text", [](E& e, S&) { e = ofText("gpt2"); }, {}},
            {"too long sequences",
             [](E& e, S&) {
                 e = ofText("gpt2");
                 e.fixed["sequence_length"] = number(1025);
             },
             {"blocking fixed.sequence_length"}},
            {"pictures for a model of text",
             [](E& e, S& s) {
                 e = ofText("lstm");
                 e.fixed["data"] = word("folder");
                 e.fixed["layout"] = word("channels_last");
                 e.fixed["image_size"] = number(32);
                 s.features->erase("jpeg");
             },
             {"blocking fixed.data", "blocking fixed.layout", "hint fixed.image_size"}},
            {"too many sequences",
             [](E& e, S&) {
                 e = ofText("gpt2");
                 e.fixed["batch_per_rank"] = number(100);
             },
             {"blocking fixed.batch_per_rank", "blocking fixed.batch_per_rank"}},
            {"too large a batch",
             [](E& e, S&) { e.fixed["batch_per_rank"] = number(10'000); },
             {"blocking fixed.batch_per_rank", "blocking fixed.batch_per_rank"}},
            {"too large a batch of all ranks",
             [](E& e, S&) {
                 e.fixed.erase("batch_per_rank");
                 e.fixed["batch_global"] = number(20'000);
             },
             {"blocking fixed.batch_global", "blocking fixed.batch_global"}},
            {"too large a batch of layers that only take time",
             [](E& e, S& s) {
                 e.fixed["compute"] = word("paced");
                 s.memoryBytes = 500'000'000;
             },
             {"blocking fixed.batch_per_rank", "blocking fixed.batch_per_rank"}},
            {"folder without a path", [](E& e, S&) { e.fixed["data"] = word("folder"); }, {"blocking fixed.data"}},
            {"path without a folder", [](E& e, S&) { e.fixed["data_path"] = word("/p"); }, {"hint fixed.data_path"}},
            {"a copy of no files",
             [](E& e, S&) { e.fixed["storage"] = word("node-local"); },
             {"blocking fixed.storage"}},
            {"a copy of files",
             [](E& e, S&) {
                 e.fixed["storage"] = word("node-local");
                 e.fixed["data"] = word("synthetic-files");
             },
             {}},
            {"measured beside emulated",
             [](E& e, S&) {
                 e.factors.push_back({"compute", {word("real"), word("paced")}});
             },
             {"blocking factors.compute"}},
            {"emulated, but excluded",
             [](E& e, S&) {
                 e.factors.push_back({"compute", {word("real"), word("paced")}});
                 e.exclude.push_back({{"compute", word("paced")}});
             },
             {}},
            {"a pace of nothing", [](E& e, S&) { e.fixed["layer_ms"] = 2.0; }, {"hint fixed.layer_ms"}},
            {"all emulated",
             [](E& e, S&) {
                 e.fixed["compute"] = word("paced");
                 e.fixed["layer_ms"] = 2.0;
             },
             {}},
            {"more chunks than servers can hold",
             [](E& e, S&) {
                 e.plans["mine"] = findBuiltInPlan("tensorflow-ps")->plan;
                 e.plans["mine"].name = "mine";
                 e.plans["mine"].schedule = Schedule::priority;
                 e.plans["mine"].chunkBytes = 4u << 10;
                 e.factors[0].levels = {number(2)};
                 e.factors[1].levels = {word("mine")};
                 e.base.clear();
             },
             {"blocking factors.plan[0]", "warning factors.plan[0]", "hint base"}},
            {"more chunks than an iteration has messages",
             [](E& e, S&) {
                 e.plans["mine"] = findBuiltInPlan("buckets")->plan;
                 e.plans["mine"].name = "mine";
                 e.plans["mine"].grouping = Grouping::perTensor;
                 e.plans["mine"].schedule = Schedule::priority;
                 e.plans["mine"].chunkBytes = 1;
                 e.factors[0].levels = {number(2)};
                 e.factors[1].levels = {word("mine")};
                 e.base.clear();
             },
             {"blocking factors.plan[0]", "hint base"}},
            {"what only GPUs have",
             [](E& e, S&) {
                 e.fixed["tf32"] = word("on");
                 e.fixed["cudnn_benchmark"] = word("on");
                 e.fixed["cuda_graph"] = word("on");
                 e.fixed["timing"] = word("serialised");
             },
             {"hint fixed.tf32", "hint fixed.cudnn_benchmark", "hint fixed.cuda_graph", "hint fixed.timing"}},
        });
}

TEST_CASE("findings name the line of a file")
{
    const ParseOutcome outcome = checkExperiment(R"(format = 1
name = "plans"
[factors]
ranks = [1, 3]
model = ["alexnet",
         "vgg"]
[fixed]
batch_global = 8
[runs]
repeats = 2
[base]
ranks = 1
)");
    REQUIRE(outcome.experiment);
    REQUIRE(outcome.checks.size() == 2);
    CHECK(toText(outcome.checks[0], "plans.toml").starts_with("plans.toml, line 6, column 10: Model: “vgg” is not"));
    CHECK(toText(outcome.checks[1], "plans.toml").starts_with("plans.toml, line 10, column 11: Repeats: 2 give no"));
}

TEST_CASE("the gravest findings come first")
{
    Experiment experiment = smallExperiment();
    experiment.base.clear();
    experiment.runs.repeats = 2;
    experiment.fixed["image_size"] = number(32);
    const auto checks = validate(experiment);
    REQUIRE(checks.size() == 3);
    CHECK(checks[0].severity == Severity::blocking);
    CHECK(checks[1].severity == Severity::warning);
    CHECK(checks[2].severity == Severity::hint);
}

TEST_CASE("findings stay few where everything is wrong, and the gravest is among them")
{
    Experiment experiment = smallExperiment();
    std::vector<Value> many;
    for (std::int64_t i = 1; i < 900; ++i)
        many.push_back(number(i));
    experiment.fixed.erase("batch_per_rank");
    experiment.factors = {{"ranks", many}, {"batch_global", {number(907), number(911)}}};
    CHECK(validate(experiment).size() <= 200);

    experiment.factors = {{"ranks", many}};
    experiment.fixed["batch_per_rank"] = number(1);
    experiment.fixed["model"] = word("lenet");
    experiment.runs.repeats = 1;
    experiment.when = {{{{"ranks", number(899)}}, {{"image_size", number(10)}}}};
    SiteLimits site = twoCores();
    site.memoryBytes = 0;
    CHECK(validate(experiment, site).front().message == "Image size: 10 is too small for LeNet.");
}
