// SPDX-License-Identifier: MIT
// [plans.NAME] of the experiment file.
#include "core/spec/plans.h"
#include "tests/spec/examples.h"
#include "tests/support/seeds.h"

#include <random>

using namespace ringside;
using namespace ringside::spec;

namespace {

AggregationPlan planIn(const std::string& lines, const std::string& name = "mine")
{
    const auto experiment = parseExperiment("format = 1\n[plans." + name + "]\n" + lines, "plans.toml");
    REQUIRE_MESSAGE(experiment, experiment.error().text());
    return experiment->plans.at(name);
}

std::string problemWith(const std::string& line)
{
    const auto experiment = parseExperiment("format = 1\n[plans.mine]\n" + line + "\n", "plans.toml");
    return experiment ? "no problem" : experiment.error().text();
}

/// Returns the findings of validation on an experiment that uses the plan.
std::string findingsOn(const AggregationPlan& plan)
{
    Experiment experiment = smallExperiment();
    experiment.factors[1].levels = {plan.name};
    experiment.plans[plan.name] = plan;
    return printed(validate(experiment));
}

AggregationPlan anyPlan(std::uint64_t seed)
{
    std::mt19937_64 generator(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(generator() % n); };
    AggregationPlan plan;
    plan.name = below(2) ? "mine" : builtInPlans()[below(builtInPlans().size() - 1)].plan.name;
    plan.collective = kCollectives[1 + below(kCollectives.size() - 1)];
    plan.grouping = kGroupings[below(kGroupings.size())];
    plan.schedule = kSchedules[below(kSchedules.size())];
    plan.compression = kCompressions[below(kCompressions.size())];
    plan.firstBucketBytes = 1 + below(1u << 30);
    plan.bucketCapBytes = 1 + below(1u << 30);
    plan.fusionThresholdBytes = 1 + below(1u << 30);
    plan.fusionCycleUs = static_cast<std::int64_t>(below(10'000'000));
    plan.chunkBytes = 1 + below(1u << 30);
    plan.topkPpm = 1 + static_cast<int>(below(1'000'000));
    plan.bucketCount = 1 + static_cast<int>(below(1'000));
    plan.servers = 1 + static_cast<int>(below(1'000));
    plan.serverPerNode = below(4) == 0;
    plan.asynchronous = below(2) == 1;
    plan.serverPlacement = kPlacements[below(2)];
    return onlyWhatCounts(plan);
}

} // namespace

TEST_CASE("every part of a plan is read, with its numbers")
{
    const AggregationPlan plan = planIn(R"(
collective  = { parameter_server = { servers = 2, updates = "asynchronous", placement = "own" } }
grouping    = { fusion = { threshold = "64 MiB", cycle = "5 ms" } }
schedule    = { priority = { chunk = "2 MiB" } }
compression = { topk = { share = 0.01 } }
)");
    CHECK(plan.collective == Collective::parameterServer);
    CHECK(plan.servers == 2);
    CHECK(plan.asynchronous);
    CHECK(plan.serverPlacement == Placement::own);
    CHECK(plan.grouping == Grouping::fusion);
    CHECK(plan.fusionThresholdBytes == 64u << 20);
    CHECK(plan.fusionCycleUs == 5'000);
    CHECK(plan.schedule == Schedule::priority);
    CHECK(plan.chunkBytes == 2u << 20);
    CHECK(plan.compression == Compression::topk);
    CHECK(plan.topkPpm == 10'000);
    CHECK(planIn("grouping = { equal_buckets = { count = 3 } }").bucketCount == 3);
    CHECK(planIn("collective = { parameter_server = { servers = \"per_node\" } }").serverPerNode);
    CHECK_FALSE(planIn("based_on = \"mxnet\"\ncollective = { parameter_server = { servers = 2 } }").serverPerNode);
}

TEST_CASE("a bare word has the defaults")
{
    const AggregationPlan plan = planIn("collective = \"parameter_server\"\ngrouping = \"fusion\"\n"
                                        "schedule = \"priority\"\ncompression = \"topk\"\n");
    CHECK(plan.servers == 1);
    CHECK_FALSE(plan.asynchronous);
    CHECK(plan.serverPlacement == Placement::shared);
    CHECK(plan.fusionThresholdBytes == kDefaultFusionThresholdBytes);
    CHECK(plan.fusionCycleUs == kDefaultFusionCycleUs);
    CHECK(plan.chunkBytes == kDefaultChunkBytes);
    CHECK(plan.topkPpm == kDefaultTopkPpm);
    CHECK(planIn("grouping = \"equal_buckets\"").bucketCount == kDefaultBucketCount);
    CHECK(planIn("grouping = { fusion = {} }").fusionCycleUs == kDefaultFusionCycleUs);
}

TEST_CASE("what a plan does not say comes from the one it is based on, wherever that stands")
{
    AggregationPlan expected = findBuiltInPlan("horovod-old")->plan;
    expected.name = "mine";
    CHECK(planIn("based_on = \"horovod-old\"") == expected);
    expected.compression = Compression::fp16;
    CHECK(planIn("compression = \"fp16\"\nbased_on = \"horovod-old\"") == expected);
    expected.fusionCycleUs = 9'000;
    CHECK(planIn("compression = \"fp16\"\ngrouping.fusion.cycle = \"9 ms\"\nbased_on = \"horovod-old\"") == expected);
    CHECK(planIn("compression = \"none\"", "cntk-1bit").grouping == Grouping::perTensor);
    CHECK(planIn("compression = \"none\"", "cntk-1bit").compression == Compression::none);
    CHECK(planIn("based_on = \"ddp\"", "cntk-1bit").compression == Compression::none);
    AggregationPlan one = findBuiltInPlan("one")->plan;
    one.name = "mine";
    CHECK(planIn("") == one);
}

TEST_CASE("what is wrong in a plan is named with its place and what to write")
{
    const std::pair<const char*, const char*> wrong[] = {
        {"collective = \"ring\"",
         "plans.toml, line 3, column 14: expected one of allreduce, hierarchical, reduce_scatter_allgather and "
         "parameter_server, found “ring”."},
        {"collective = \"none\"",
         "plans.toml, line 3, column 14: expected one of allreduce, hierarchical, reduce_scatter_allgather and "
         "parameter_server, found “none”."},
        {"collective = { parameter_server = { server = 2 } }",
         "plans.toml, line 3, column 37: “server” is not known here. Did you mean “servers”? Known: servers, updates "
         "and "
         "placement."},
        {"collective = { parameter_server = { servers = \"2\" } }",
         "plans.toml, line 3, column 47: expected a whole number, found the text “2”. Write 2 without quotes."},
        {"collective = { parameter_server = { updates = \"async\" } }",
         "plans.toml, line 3, column 47: expected one of synchronous and asynchronous, found “async”."},
        {"grouping = { fusion = { cycle = 5 } }", "plans.toml, line 3, column 33: expected a time with a unit, found "
                                                  "“5”. Write \"1 ms\"; units are us, ms and s."},
        {"grouping = { fusion = {}, buckets = {} }",
         "plans.toml, line 3, column 12: expected one word with its settings, found “a table”. "
         "Write { buckets = { … } }."},
        {"grouping = { one = {} }", "plans.toml, line 3, column 14: “one” is not known here. "
                                    "Known: buckets, fusion and equal_buckets."},
        {"schedule = { priority = { chunk = \"4 M\" } }",
         "plans.toml, line 3, column 35: expected a size with a unit, found “4 M”. Write \"25 MiB\"; units are B, KiB, "
         "MiB and GiB."},
        {"compression = { topk = { share = 1.5 } }",
         "plans.toml, line 3, column 34: expected a number above 0 and up to "
         "1, found “1.5”. Write 0.01 for one gradient in a hundred."},
        {"compression = { topk = { share = 0 } }", "plans.toml, line 3, column 34: expected a number above 0 and up to "
                                                   "1, found “0”. Write 0.01 for one gradient in a hundred."},
        {"compresion = \"fp16\"", "plans.toml, line 3, column 1: “compresion” is not known here. Did you mean "
                                  "“compression”? Known: based_on, collective, grouping, schedule and compression."},
        {"based_on = \"horovd\"",
         "plans.toml, line 3, column 12: expected the name of a built-in plan, found “horovd”. "
         "Did you mean “horovod”?"},
        {"based_on = \"none\"",
         "plans.toml, line 3, column 12: expected the name of a built-in plan, found “none”. Did you mean “one”?"},
        {"based_on = 1", "plans.toml, line 3, column 12: expected the name of a built-in plan, found “1”. "
                         "Write \"buckets\"."},
    };
    for (const auto& [line, message] : wrong) {
        CAPTURE(line);
        CHECK(problemWith(line) == message);
    }
}

TEST_CASE("a plan is written so that it is read as it was, a built-in one of that name or not")
{
    for (const auto seed : test::seeds(0, 2'000)) {
        CAPTURE(seed);
        Experiment experiment = smallExperiment();
        const AggregationPlan plan = anyPlan(seed);
        experiment.plans[plan.name] = plan;
        const std::string text = writeExperiment(experiment);
        CAPTURE(text);
        const ParseOutcome outcome = readExperiment(text);
        REQUIRE_MESSAGE(outcome.experiment, printed(outcome.checks));
        REQUIRE(*outcome.experiment == experiment);
    }
}

TEST_CASE("plans are written as people write them")
{
    const auto written = [](AggregationPlan plan) {
        Experiment experiment;
        experiment.plans[plan.name] = plan;
        const std::string text = writeExperiment(experiment);
        const std::size_t begin = text.find("[plans."), end = text.find("\n[runs]");
        return text.substr(begin, end - begin);
    };
    CHECK(written(planIn("based_on = \"horovod\"\ncompression.topk.share = 0.000001")) == R"([plans.mine]
collective  = "allreduce"
grouping    = { fusion = { threshold = "128 MiB", cycle = "1 ms" } }
schedule    = "overlapped"
compression = { topk = { share = 0.000001 } }
)");
    CHECK(written(planIn("based_on = \"mxnet\"")) == R"([plans.mine]
collective = { parameter_server = { servers = "per_node", updates = "synchronous", placement = "shared" } }
grouping   = "per_tensor"
schedule   = { priority = { chunk = "4000000 B" } }
)");
    CHECK(written(planIn("compression = { topk = { share = 1 } }")).find("share = 1.0 }") != std::string::npos);
    CHECK(written(planIn("compression = \"none\"", "singa-half")).find("compression = \"none\"") != std::string::npos);
}

TEST_CASE("what cannot be composed, and numbers that cannot be, are blocking")
{
    CHECK(findingsOn(planIn("schedule = \"priority\"")) ==
          "blocking plans.mine: Plan “mine”: schedule “priority” has nothing to put in order where all is one message. "
          "Use the grouping “per_tensor” or “buckets”.\n");
    CHECK(findingsOn(planIn("grouping = { equal_buckets = { count = 0 } }")) ==
          "blocking plans.mine: Plan: the number of buckets must be from 1 to 100,000.\n");
    CHECK(
        findingsOn(planIn("based_on = \"horovod\"\ngrouping = { fusion = { threshold = \"65 GiB\", cycle = \"11 s\" } "
                          "}")) == "blocking plans.mine: Plan: the fusion threshold must be from 1 B to 64 GiB.\n"
                                   "blocking plans.mine: Plan: the fusion cycle must be from 0 ms to 10 s.\n");
    CHECK(findingsOn(planIn("based_on = \"mxnet\"\nschedule = { priority = { chunk = \"0 B\" } }")) ==
          "blocking plans.mine: Plan: a chunk must hold from 1 B to 64 GiB.\n");
    CHECK(findingsOn(planIn("collective = { parameter_server = { servers = 0 } }")) ==
          "blocking plans.mine: Plan “mine”: a parameter server needs at least 1 server rank. Use servers = 1.\n");
    CHECK(findingsOn(planIn("collective = { parameter_server = { servers = 1001 } }")) ==
          "blocking plans.mine: Plan: the number of server ranks must be from 1 to 1,000.\n");
    CHECK(findingsOn(planIn("based_on = \"singa-sparse\"")) == "");
}
