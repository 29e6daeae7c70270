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
    check({
        {"no name", [](E& e, S&) { e.name = " "; }, "blocking name: Name: is missing. Add name = \"my-experiment\".\n"},
        {"control characters", [](E& e, S&) { e.name = "a\nb"; },
         "blocking name: Name: is too long or has control characters. Use one line of at most 120 bytes.\n"},
        {"a name that reads otherwise than it is", [](E& e, S&) { e.name = "a\u202Eb"; },
         "blocking name: Name: is too long or has control characters. Use one line of at most 120 bytes.\n"},
        {"an option for a name", [](E& e, S&) { e.name = "--help"; },
         "blocking name: Name: “--help” would be taken for an option or a folder. Begin it with a letter or a digit, "
         "and "
         "leave “/” out.\n"},
        {"a folder for a name", [](E& e, S&) { e.name = ".."; },
         "blocking name: Name: “..” would be taken for an option or a folder. Begin it with a letter or a digit, and "
         "leave “/” out.\n"},
        {"unknown setting", [](E& e, S&) { e.fixed["rnks"] = number(1); },
         "blocking fixed.rnks: “rnks” is no setting. Did you mean “ranks”?\n"},
        {"unknown model", [](E& e, S&) { e.fixed["model"] = word("alexnett"); },
         "blocking fixed.model: Model: “alexnett” is not known. Did you mean “alexnet”? Known: alexnet, googlenet, "
         "inceptionv3, resnet18, resnet50, resnet101, resnet152, vgg16, lenet, gpt2 and lstm.\n"},
        {"unknown level",
         [](E& e, S&) {
             e.factors.push_back({"precision", {word("fp32"), word("fp8")}});
         },
         "blocking factors.precision[1]: Precision: “fp8” is not known. Known: fp32 and bf16.\n"},
        {"a number in quotes", [](E& e, S&) { e.factors[0].levels = {word("1")}; },
         "blocking factors.ranks[0]: Ranks: expected a whole number from 1 to 65,536, found the text “1”. "
         "Write 1 without quotes.\n"},
        {"unknown plan", [](E& e, S&) { e.factors[1].levels[1] = word("bucket"); },
         "blocking factors.plan[1]: Plan: “bucket” is not known. Did you mean “buckets”?\n"},
        {"unknown plan like no other", [](E& e, S&) { e.factors[1].levels[1] = word("gossip"); },
         "blocking factors.plan[1]: Plan: “gossip” is not known. “ringside-cli plans” lists those there are; others "
         "are "
         "tables [plans.NAME].\n"},
        {"no model", [](E& e, S&) { e.fixed.erase("model"); },
         "blocking fixed.model: Model: is missing. Add model = \"resnet50\" to [fixed], or several models to "
         "[factors].\n"},
        {"no batch", [](E& e, S&) { e.fixed.erase("batch_per_rank"); },
         "blocking fixed.batch_per_rank: Batch per rank: is missing. Add batch_per_rank = 16, or batch_global.\n"},
        {"no levels", [](E& e, S&) { e.factors[0].levels.clear(); },
         "blocking factors.ranks: Ranks: has no levels. Name at least one.\n"},
        {"level twice", [](E& e, S&) { e.factors[0].levels.push_back(number(2)); },
         "warning factors.ranks[2]: Ranks: “2” stands twice. Once is enough.\n"},
        {"factor twice", [](E& e, S&) { e.factors.push_back(e.factors[0]); },
         "blocking factors.ranks: Ranks: is a factor twice. Put all levels into one list.\n"},
        {"factor and fixed", [](E& e, S&) { e.fixed["ranks"] = number(1); },
         "blocking fixed.ranks: Ranks: is a factor and fixed as well. Keep one of the two.\n"},
        {"both batches", [](E& e, S&) { e.fixed["batch_global"] = number(32); },
         "blocking fixed.batch_global: Batch: is given per rank and in all. "
         "Keep batch_per_rank (weak scaling) or batch_global (strong scaling).\n"},
        {"batch that does not divide",
         [](E& e, S& s) {
             e.fixed.erase("batch_per_rank");
             e.fixed["batch_global"] = number(100);
             e.factors[0].levels = {number(1), number(8)};
             s.cores = 8;
         },
         "blocking fixed.batch_global: Batch: 100 cannot be divided by 8 ranks. Use 96 or 104.\n"},
        {"ranks do not agree",
         [](E& e, S&) {
             e.fixed["nodes"] = number(1);
             e.fixed["ranks_per_node"] = number(2);
         },
         "blocking factors.ranks[0]: Ranks: 1 is not 1 node with 2 ranks each. Use 2, or leave one of the three "
         "out.\n"},
        {"few repeats", [](E& e, S&) { e.runs.repeats = 3; },
         "warning runs.repeats: Repeats: 3 give no 95 % interval; 6 is the fewest.\n"},
        {"one repeat", [](E& e, S&) { e.runs.repeats = 1; },
         "warning runs.repeats: Repeats: 1 gives no 95 % interval; 6 is the fewest.\n"},
        {"no repeats", [](E& e, S&) { e.runs.repeats = 0; },
         "blocking runs.repeats: Repeats: 0 cannot be. Use 1 to 10,000.\n"},
        {"warm-up too long",
         [](E& e, S&) {
             e.runs.warmup = 300;
             e.runs.iterations = 250;
         },
         "blocking runs.warmup: Warm-up (300) must be below iterations (250).\n"},
        {"no warm-up", [](E& e, S&) { e.runs.warmup = 0; },
         "hint runs.warmup: Warm-up: without it the slow first iterations count. 2 or more is usual.\n"},
        {"no base case", [](E& e, S&) { e.base.clear(); },
         "hint base: Base case: none is named, so there is no speed-up. Add [base] with ranks = 1.\n"},
        {"base case elsewhere",
         [](E& e, S&) {
             e.base = {{"ranks", number(3)}};
         },
         "blocking base: Base case: ranks = 3 matches no configuration. Name levels that the experiment has.\n"},
        {"base case lacking for some",
         [](E& e, S&) {
             e.base = {{"ranks", number(2)}, {"plan", word("one")}};
             e.factors.push_back({"precision", {word("fp32"), word("bf16")}});
             e.exclude = {{{"ranks", number(2)}, {"plan", word("one")}, {"precision", word("bf16")}}};
         },
         "warning base: Base case: 3 combinations without one with plan = one and ranks = 2, so without a speed-up.\n"},
        {"base case on several numbers of ranks",
         [](E& e, S&) {
             e.base = {{"precision", word("fp32")}};
             e.factors.push_back({"precision", {word("fp32"), word("bf16")}});
         },
         "warning base: Base case: precision = fp32 stands for runs on 1 to 2 ranks, so there is no speed-up. Name the "
         "number of ranks as well: ranks = 1, precision = fp32.\n"},
        {"base case of other work",
         [](E& e, S&) {
             e.base = {{"ranks", number(1)}, {"image_size", number(64)}};
             e.fixed.erase("image_size");
             e.factors.push_back({"image_size", {number(64), number(128)}});
         },
         "warning base: Base case: the work of an iteration is not the same with 64 and with 128, so there is no "
         "speed-up. Choose a base case that each has of its own, such as ranks = 1.\n"},
        {"conditional that the base case does not have",
         [](E& e, S&) {
             e.when = {{{{"ranks", number(2)}}, {{"momentum", 0.0}}}};
         },
         "warning when[0].set.momentum: Base case: momentum is not the same in all that is set against it, so a "
         "speed-up "
         "is not of the factors alone. Say it once in [fixed], or make it a factor.\n"},
        {"conditional that has something else than is fixed",
         [](E& e, S&) {
             e.fixed["momentum"] = 0.9;
             e.when = {{{{"ranks", number(2)}}, {{"momentum", 0.0}}}};
         },
         "warning when[0].set.momentum: Base case: momentum is not the same in all that is set against it, so a "
         "speed-up "
         "is not of the factors alone. Say it once in [fixed], or make it a factor.\n"},
        {"conditional in vain",
         [](E& e, S&) {
             e.when = {{{{"ranks", number(7)}}, {{"momentum", 0.0}}}};
         },
         "warning when[0].match: When: ranks = 7 matches no configuration.\n"},
        {"conditional on nothing",
         [](E& e, S&) {
             e.when = {{{}, {{"momentum", 0.0}}}};
         },
         "warning when[0]: When: has no match, so it always holds. Put its settings into [fixed].\n"},
        {"exclusion in vain",
         [](E& e, S&) {
             e.exclude = {{{"ranks", number(7)}}};
         },
         "warning exclude[0]: Exclude: matches no configuration.\n"},
        {"plan in vain",
         [](E& e, S&) {
             e.plans["mine"] = findBuiltInPlan("one")->plan;
             e.plans["mine"].name = "mine";
         },
         "hint plans.mine: Plan: “mine” is used by no configuration.\n"},
        {"plan none changed", [](E& e, S&) { e.plans["none"] = AggregationPlan{}; },
         "blocking plans.none: Plan: “none” is what a single rank has and cannot be changed. Choose another name.\n"
         "blocking plans.none: Plan: “none” combines nothing. Use the collective “allreduce”.\n"},
        {"empty bucket",
         [](E& e, S&) {
             e.plans["buckets"] = findBuiltInPlan("buckets")->plan;
             e.plans["buckets"].bucketCapBytes = 0;
         },
         "blocking plans.buckets: Plan: a bucket of 0 B cannot be. Use 1 B to 64 GiB.\n"},
        {"no plan for several ranks", [](E& e, S&) { e.factors[1].levels = {word("none")}; },
         "blocking factors.plan[0]: Plan: “none” is for a single rank; 2 ranks would train apart. Use a plan such as "
         "“buckets”.\n"},
        {"everything excluded",
         [](E& e, S&) {
             e.exclude = {{{"model", word("alexnet")}}};
             e.base.clear();
         },
         "blocking exclude: Every combination is excluded. Take an exclusion away.\n"
         "hint base: Base case: none is named, so there is no speed-up. Add [base] with ranks = 1.\n"},
        {"too small pictures", [](E& e, S&) { e.fixed["image_size"] = number(32); },
         "blocking fixed.image_size: Image size: 32 is too small for AlexNet. Use 63 or more.\n"},
        {"sequences of a model of pictures", [](E& e, S&) { e.fixed["sequence_length"] = number(32); },
         "hint fixed.sequence_length: Sequence length: has no effect with AlexNet.\n"},
        {"a model of text", [](E& e, S&) { e = ofText("gpt2"); }, ""},
        {"too long sequences",
         [](E& e, S&) {
             e = ofText("gpt2");
             e.fixed["sequence_length"] = number(1025);
         },
         "blocking fixed.sequence_length: Sequence length: 1025 is too long for GPT-2. Use 1024 or fewer.\n"},
        {"pictures for a model of text",
         [](E& e, S& s) {
             e = ofText("lstm");
             e.fixed["data"] = word("folder");
             e.fixed["layout"] = word("channels_last");
             e.fixed["image_size"] = number(32);
             s.features->erase("jpeg");
         },
         "blocking fixed.data: Data: LSTM is given tokens, and “folder” has pictures. Use data “synthetic”.\n"
         "blocking fixed.layout: Layout: “channels_last” is an order of pictures, and LSTM is given tokens. Use layout "
         "“contiguous”.\n"
         "hint fixed.image_size: Image size: has no effect with LSTM.\n"},
        {"too many sequences",
         [](E& e, S&) {
             e = ofText("gpt2");
             e.fixed["batch_per_rank"] = number(100);
         },
         "blocking fixed.batch_per_rank: Batch: 100 sequences on 1 rank need at least 47.8 GB; this computer has 8.00 "
         "GB. Use a batch of at most 13, shorter sequences or fewer ranks.\n"
         "blocking fixed.batch_per_rank: Batch: 100 sequences on 2 ranks need at least 95.6 GB; this computer has 8.00 "
         "GB. Use a batch of at most 4, shorter sequences or fewer ranks.\n"},
        {"too large a batch", [](E& e, S&) { e.fixed["batch_per_rank"] = number(10'000); },
         "blocking fixed.batch_per_rank: Batch: 10000 images on 1 rank need at least 17.4 GB; this computer has 8.00 "
         "GB. "
         "Use a batch of at most 4282, smaller images or fewer ranks.\n"
         "blocking fixed.batch_per_rank: Batch: 10000 images on 2 ranks need at least 34.7 GB; this computer has 8.00 "
         "GB. "
         "Use a batch of at most 1841, smaller images or fewer ranks.\n"},
        {"too large a batch of all ranks",
         [](E& e, S&) {
             e.fixed.erase("batch_per_rank");
             e.fixed["batch_global"] = number(20'000);
         },
         "blocking fixed.batch_global: Batch: 20000 images on 1 rank need at least 33.8 GB; this computer has 8.00 GB. "
         "Use a batch of at most 4282, smaller images or fewer ranks.\n"
         "blocking fixed.batch_global: Batch: 10000 images on 2 ranks need at least 34.7 GB; this computer has 8.00 "
         "GB. "
         "Use a batch of at most 3682, smaller images or fewer ranks.\n"},
        {"too large a batch of layers that only take time",
         [](E& e, S& s) {
             e.fixed["compute"] = word("paced");
             s.memoryBytes = 500'000'000;
         },
         "blocking fixed.batch_per_rank: Batch: 16 images on 1 rank need at least 1.23 GB; this computer has 500 MB. "
         "Use a smaller model.\n"
         "blocking fixed.batch_per_rank: Batch: 16 images on 2 ranks need at least 2.46 GB; this computer has 500 MB. "
         "Use fewer ranks on a node.\n"},
        {"folder without a path", [](E& e, S&) { e.fixed["data"] = word("folder"); },
         "blocking fixed.data: Data: the folder is not named. Add data_path = \"/path/to/pictures\" to [fixed].\n"},
        {"path without a folder", [](E& e, S&) { e.fixed["data_path"] = word("/p"); },
         "hint fixed.data_path: Data folder: has no effect with data “synthetic”.\n"},
        {"a copy of no files", [](E& e, S&) { e.fixed["storage"] = word("node-local"); },
         "blocking fixed.storage: Storage: data “synthetic” has no files that a node could get a copy of. Use storage "
         "“shared”, or data “synthetic-files” or “folder”.\n"},
        {"a copy of files",
         [](E& e, S&) {
             e.fixed["storage"] = word("node-local");
             e.fixed["data"] = word("synthetic-files");
         },
         ""},
        {"measured beside emulated",
         [](E& e, S&) {
             e.factors.push_back({"compute", {word("real"), word("paced")}});
         },
         "blocking factors.compute: Compute: measured and emulated runs cannot be compared. Make an experiment of "
         "each.\n"},
        {"emulated, but excluded",
         [](E& e, S&) {
             e.factors.push_back({"compute", {word("real"), word("paced")}});
             e.exclude.push_back({{"compute", word("paced")}});
         },
         ""},
        {"a pace of nothing", [](E& e, S&) { e.fixed["layer_ms"] = 2.0; },
         "hint fixed.layer_ms: Time of a layer: has no effect unless Compute is “paced”.\n"},
        {"all emulated",
         [](E& e, S&) {
             e.fixed["compute"] = word("paced");
             e.fixed["layer_ms"] = 2.0;
         },
         ""},
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
         "blocking factors.plan[0]: Plan: chunks of 4 KiB cut the gradients of AlexNet into more than 59,668 messages, "
         "and servers hold 32,000 at most. Use chunks of 8 KiB or more.\n"
         "warning factors.plan[0]: Plan: 2 ranks and 1 server rank with 1 core each are more than this computer has "
         "(2 cores). They share cores, so their times mean little.\n"
         "hint base: Base case: none is named, so there is no speed-up. Add [base] with ranks = 1.\n"},
        {"what only GPUs have",
         [](E& e, S&) {
             e.fixed["tf32"] = word("on");
             e.fixed["cudnn_benchmark"] = word("on");
             e.fixed["cuda_graph"] = word("on");
             e.fixed["timing"] = word("serialised");
         },
         "hint fixed.tf32: TF32: has no effect unless Device is “cuda”.\n"
         "hint fixed.cudnn_benchmark: cuDNN autotuning: has no effect unless Device is “cuda”.\n"
         "hint fixed.cuda_graph: CUDA graph: has no effect unless Device is “cuda”.\n"
         "hint fixed.timing: Timing: has no effect unless Device is “cuda”.\n"},
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
    CHECK(toText(outcome.checks[0], "plans.toml") ==
          "plans.toml, line 6, column 10: Model: “vgg” is not known. Known: alexnet, googlenet, inceptionv3, "
          "resnet18, resnet50, resnet101, resnet152, vgg16, lenet, gpt2 and lstm.");
    CHECK(toText(outcome.checks[1], "plans.toml") ==
          "plans.toml, line 10, column 11: Repeats: 2 give no 95 % interval; 6 is the fewest.");
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
