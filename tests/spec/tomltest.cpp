// SPDX-License-Identifier: MIT
#include "tests/spec/examples.h"

using namespace ringside;
using namespace ringside::spec;

namespace {

struct Wrong
{
    std::string toml;
    std::string message;
};

std::string firstProblem(std::string_view toml)
{
    const auto experiment = parseExperiment(toml, "plans.toml");
    return experiment ? "no problem" : experiment.error().text();
}

} // namespace

TEST_CASE("a whole file is read as it stands, factors in its order")
{
    const auto experiment = parseExperiment(R"(
format = 1
name = "x"
question = "Why?"
site = "alder"
[factors]
ranks = [1, 2]
model = ["resnet50", "alexnet"]
[fixed]
batch_per_rank = 4
learning_rate = 1
[[when]]
match = { model = "alexnet" }
set = { batch_per_rank = 16 }
[plans.buckets]
grouping = { buckets = { first = "2 MiB", cap = "64 KiB" } }
[plans.mine]
grouping = "one"
schedule = "overlapped"
[runs]
repeats = 7
iterations = 30
warmup = 4
order = "random"
seed = 9
hung_after_s = 600
[base]
ranks = 1
[[exclude]]
model = "alexnet"
ranks = 2
)");
    REQUIRE_MESSAGE(experiment, experiment.error().text());
    CHECK(experiment->site == "alder");
    REQUIRE(experiment->factors.size() == 2);
    CHECK(experiment->factors[0].key == "ranks");
    CHECK(experiment->factors[0].levels[1] == Value(std::int64_t{2}));
    CHECK(experiment->fixed.at("learning_rate") == Value(1.0));
    CHECK(experiment->when.at(0).set.at("batch_per_rank") == Value(std::int64_t{16}));
    const AggregationPlan& buckets = experiment->plans.at("buckets");
    CHECK(buckets.firstBucketBytes == 2u << 20);
    CHECK(buckets.bucketCapBytes == 64u << 10);
    CHECK(buckets.schedule == Schedule::overlapped); // not said: from the built-in plan of that name
    CHECK(experiment->plans.at("mine").grouping == Grouping::one);
    CHECK(experiment->plans.at("mine").collective == Collective::allreduce);
    CHECK(experiment->runs == Runs{7, 30, 4, RunOrder::random, 9, 600});
    CHECK(experiment->exclude.at(0).size() == 2);
}

TEST_CASE("what is wrong is named with file, line, column and what would be right")
{
    const Wrong table[] = {
        {"format = 1\n[factors]\nranks = 1, 2, 4\n",
         "plans.toml, line 3, column 9: expected a list, found “1, 2, 4”. Write [1, 2, 4]."},
        {"[factors]\nranks = \"1..4*2\"\n",
         "plans.toml, line 2, column 9: expected a list, found “1..4*2”. Write [1, 2, 4]."},
        {"[factors]\nranks = \"1, 2, 4\"\n",
         "plans.toml, line 2, column 9: expected a list, found “1, 2, 4”. Write [1, 2, 4]."},
        {"[factors]\nranks = 2\n", "plans.toml, line 2, column 9: expected a list, found “2”. Write [2]."},
        {"[factors]\nmodel = alexnet, lenet\n",
         "plans.toml, line 2, column 9: expected a list, found “alexnet, lenet”. Write [\"alexnet\", \"lenet\"]."},
        {"[factors]\nmodel = \"alexnet\"\n",
         "plans.toml, line 2, column 9: expected a list, found “alexnet”. Write [\"alexnet\"]."},
        {"[fixed]\nmodel = alexnet # no quotes\n",
         "plans.toml, line 2, column 9: expected a text in quotes, found “alexnet”. Write \"alexnet\"."},
        {"[fixed]\nmodel = [\"alexnet\"]\n",
         "plans.toml, line 2, column 9: expected one value, found “a list”. Lists belong in [factors]."},
        {"[fixed]\nbatch_per_rnk = 4\n",
         "plans.toml, line 2, column 1: “batch_per_rnk” is not known here. Did you mean “batch_per_rank”?"},
        {"[fixed]\ndata_folder = \"/p\"\n",
         "plans.toml, line 2, column 1: “data_folder” is not known here. Did you mean “data_path”?"},
        {"[fixed]\nbatch_size = 4\n", "plans.toml, line 2, column 1: “batch_size” is not known here. "
                                      "Did you mean “batch_per_rank” or “batch_global”?"},
        {"[fixed]\nsite = \"alder\"\n", "plans.toml, line 2, column 1: “site” is not known here. "
                                        "It belongs at the top level of the file, above the first table."},
        {"[factors]\nsite = [\"alder\"]\n", "plans.toml, line 2, column 1: “site” is not known here. "
                                            "It belongs at the top level of the file, above the first table."},
        {"[fixed]\nrepeats = 6\n", "plans.toml, line 2, column 1: “repeats” is not known here. It belongs in [runs]."},
        {"ranks = 2\n", "plans.toml, line 1, column 1: “ranks” is not known here. "
                        "It belongs in [fixed], or in [factors] with its levels."},
        {"[fxed]\n", "plans.toml, line 1, column 2: “fxed” is not known here. Did you mean “fixed”? "
                     "Known: format, name, question, site, factors, fixed, when, plans, runs, base and exclude."},
        {"[runs]\nrepeat = 4\n", "plans.toml, line 2, column 1: “repeat” is not known here. Did you mean “repeats”? "
                                 "Known: repeats, iterations, warmup, order, seed and hung_after_s."},
        {"[runs]\norder = \"shuffled\"\n", "plans.toml, line 2, column 9: expected one of interleaved and random, "
                                           "found “shuffled”."},
        {"[runs]\nrepeats = true\n", "plans.toml, line 2, column 11: expected a whole number, found “true”."},
        {"[runs]\nrepeats = 6.0\n", "plans.toml, line 2, column 11: expected a whole number, found “6.0”. Write 6."},
        {"[runs]\nseed = false\n", "plans.toml, line 2, column 8: expected a whole number, found “false”."},
        {"format = true\n", "plans.toml, line 1, column 10: expected a whole number, found “true”."},
        {"[runs]\nrepeats = 6.5\n", "plans.toml, line 2, column 11: expected a whole number, found “6.5”."},
        {"[runs]\nrepeats = \"6\"\n", "plans.toml, line 2, column 11: expected a whole number, found the text “6”. "
                                      "Write 6 without quotes."},
        {"[runs]\nrepeats = 99999999999\n",
         "plans.toml, line 2, column 11: expected a whole number, found “99999999999”."},
        {"[runs]\nseed = -1\n", "plans.toml, line 2, column 8: expected a whole number, found “-1”."},
        {"[plans.buckets]\ngrouping = { buckets = { cap = 25 } }\n",
         "plans.toml, line 2, column 32: expected a size with a unit, found “25”. Write \"25 MiB\"; units are B, KiB, "
         "MiB and GiB."},
        {"name = 1\n", "plans.toml, line 1, column 8: expected a text in quotes, found “1”."},
        {"name = 1979-05-27\n", "plans.toml, line 1, column 8: expected a text in quotes, found “a date or time”."},
        {"factors = 3\n", "plans.toml, line 1, column 11: expected a table, found “3”."},
        {"when = { match = {} }\n",
         "plans.toml, line 1, column 8: expected a list of tables, found “a table”. Write [[when]]."},
        {"format = 2\n", "plans.toml, line 1, column 10: format 2 is not known; this version reads format 1. "
                         "Open it with the version that wrote it."},
    };
    for (const Wrong& wrong : table) {
        CAPTURE(wrong.toml);
        CHECK(firstProblem(wrong.toml) == wrong.message);
    }
}

TEST_CASE("all problems of a file are found at once, each in its place")
{
    const ParseOutcome outcome =
        readExperiment("format = 1\nnam = \"x\"\n[runs]\nrepeats = \"six\"\n[fixed]\nmodell = \"lenet\"\n");
    CHECK_FALSE(outcome.experiment);
    REQUIRE(outcome.checks.size() == 3);
    CHECK(outcome.checks[0].field == "nam");
    CHECK(outcome.checks[1].field == "runs.repeats");
    CHECK(outcome.checks[1].line == 4);
    CHECK(outcome.checks[2].hint == "Did you mean “model”?");
}

TEST_CASE("a value that makes no sense is kept for validate(), so that unfinished experiments can be saved")
{
    const ParseOutcome outcome = readExperiment("format = 1\n[factors]\nprecision = [\"fp32\", \"fp8\"]\nranks = []\n");
    REQUIRE(outcome.experiment);
    CHECK(outcome.experiment->factors[0].levels[1] == Value(std::string("fp8")));
    CHECK(readExperiment(writeExperiment(*outcome.experiment)).experiment == outcome.experiment);
}

TEST_CASE("positions lead from a level to its place")
{
    const ParseOutcome outcome = readExperiment("format = 1\n[factors]\nranks = [1,\n         32]\n");
    CHECK(positionOf(outcome.positions, "factors.ranks[1]") == Position{4, 10});
    CHECK(positionOf(outcome.positions, "factors.ranks[7]") == Position{3, 9});
    CHECK(positionOf(outcome.positions, "runs.repeats") == Position{});
}

TEST_CASE("dots of numbers, texts and comments are not those of a key")
{
    std::string levels = "0.001";
    for (int level = 2; level <= 100; ++level)
        levels += fmt::format(", {}", level / 1000.0);
    const std::string dots(100, '.');
    CHECK(firstProblem("format = 1 # " + dots + "\nname = \"dots\"\nquestion = \"Well" + dots + "\\\" " + dots +
                       "\"\n[factors]\nlearning_rate = [" + levels + "]\n[fixed]\nmodel = \"lenet\"\n" +
                       "batch_per_rank = 8\nranks = 1\n") == "no problem");
}

TEST_CASE("hostile text ends in a message, never in a crash")
{
    CHECK(firstProblem(std::string(kMaxExperimentBytes + 1, '#')) ==
          "plans.toml: the file has 262 kB; an experiment has at most 262 kB. Choose an experiment file.");
    std::string deepKey = "a";
    for (int i = 0; i < 100'000; ++i)
        deepKey += ".a";
    CHECK(firstProblem(deepKey + " = 1") ==
          "plans.toml, line 1: more than 64 dots in one key. Keys have one or two parts.");
    CHECK(firstProblem("x = " + std::string(100'000, '[')).find("this is not TOML") != std::string::npos);
    CHECK(firstProblem("x = " + std::string(50'000, '{')).find("this is not TOML") != std::string::npos);
    CHECK(firstProblem("[ = 1").find("this is not TOML") != std::string::npos);
    CHECK(firstProblem("name = \"\xff\xfe\"").find("this is not TOML") != std::string::npos);
    CHECK(firstProblem(std::string("\0\0\0", 3)).find("this is not TOML") != std::string::npos);
    CHECK(firstProblem("[fixed]\nranks = 99999999999999999999\n") != "no problem");
    std::string longList = "[factors]\nranks = [1";
    for (int i = 0; i < 1'000; ++i)
        longList += ",1";
    CHECK(firstProblem(longList + "]").find("at most 1,000 levels") != std::string::npos);
}

TEST_CASE("writing is stable and readable")
{
    Experiment experiment = smallExperiment();
    experiment.question = "Is \"one\" enough?\n";
    experiment.when = {{{{"ranks", std::int64_t{2}}}, {{"learning_rate", 2.0}}}};
    experiment.exclude = {{{"ranks", std::int64_t{1}}, {"plan", std::string("one")}}};
    CHECK(writeExperiment(experiment) == R"(format   = 1
name     = "small"
question = "Is \"one\" enough?\u000A"

[factors]
ranks = [1, 2]
plan  = ["one", "buckets"]

[fixed]
model          = "alexnet"
image_size     = 128
batch_per_rank = 16

[[when]]
match = { ranks = 2 }
set   = { learning_rate = 2.0 }

[runs]
repeats    = 6
iterations = 20
warmup     = 5
order      = "interleaved"
seed       = 1

[base]
ranks = 1

[[exclude]]
ranks = 1
plan  = "one"
)");
}
