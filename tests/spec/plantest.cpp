// SPDX-License-Identifier: MIT
// Built-in plans, plans in words, and what of a plan is in a configuration's key.
#include "core/spec/plans.h"
#include "tests/spec/examples.h"

#include <algorithm>
#include <set>

using namespace ringside;
using namespace ringside::spec;

namespace {

AggregationPlan composed(Collective collective, Grouping grouping, Schedule schedule, Compression compression)
{
    AggregationPlan plan;
    plan.name = "mine";
    plan.collective = collective;
    plan.grouping = grouping;
    plan.schedule = schedule;
    plan.compression = compression;
    return plan;
}

AggregationPlan served(int servers, bool asynchronous, Placement placement)
{
    AggregationPlan plan =
        composed(Collective::parameterServer, Grouping::perTensor, Schedule::overlapped, Compression::none);
    plan.servers = servers;
    plan.asynchronous = asynchronous;
    plan.serverPlacement = placement;
    return plan;
}

std::string keyOf(const AggregationPlan& plan)
{
    return configurationKey({{"ranks", std::int64_t{2}}}, plan, 20, 5);
}

} // namespace

TEST_CASE("built-in plans are what CONTRACTS says of them")
{
    const auto plan = [](const char* name) { return describe(findBuiltInPlan(name)->plan); };
    CHECK(plan("one") == "one message, after backward");
    CHECK(plan("one-overlapped") == "one message, overlapped with backward");
    CHECK(plan("buckets") == "buckets of 1 MiB, then 25 MiB, overlapped with backward");
    CHECK(plan("buckets-after") == "buckets of 1 MiB, then 25 MiB, after backward");
    CHECK(plan("none") == "no aggregation");
    CHECK(findBuiltInPlan("two") == nullptr);
}

TEST_CASE("an experiment's own plans stand beside the built-in ones and in their place")
{
    Experiment experiment;
    experiment.plans["small"] = findBuiltInPlan("buckets")->plan;
    experiment.plans["small"].name = "small";
    experiment.plans["buckets"] = findBuiltInPlan("buckets")->plan;
    experiment.plans["buckets"].bucketCapBytes = 1u << 20;
    const auto names = planNames(experiment);
    CHECK(names.front() == "one");
    CHECK(names.back() == "small");
    CHECK(std::count(names.begin(), names.end(), "buckets") == 1);
    CHECK(std::count(names.begin(), names.end(), "none") == 0);
    CHECK(planNamed(experiment, "buckets")->bucketCapBytes == 1u << 20);
    CHECK(planNamed(experiment, "small")->name == "small");
    CHECK_FALSE(planNamed(experiment, "large"));
}

TEST_CASE("every preset is a plan that can be, says what it does in one sentence, and where its numbers stand")
{
    std::set<std::string> names;
    for (const BuiltInPlan& preset : builtInPlans()) {
        CAPTURE(preset.plan.name);
        CHECK(names.insert(preset.plan.name).second);
        const auto why = whyNotComposed(preset.plan);
        CHECK_MESSAGE(!why, why->text());
        CHECK(onlyWhatCounts(preset.plan) == preset.plan);
        CHECK(preset.description.ends_with("."));
        CHECK(preset.description.find(". ") == std::string_view::npos);
        for (const PlanSource& source : preset.sources) {
            CHECK_FALSE(source.what.empty());
            CHECK(source.where.find(": ") != std::string_view::npos); // repository: place
        }
        Experiment experiment = smallExperiment();
        if (preset.plan.name == "none")
            continue;
        experiment.factors[1].levels = {preset.plan.name};
        CHECK(printed(validate(experiment)) == "");
        CHECK(expanded(experiment).configurations.back().plan == forNodes(preset.plan, 1));
    }
    for (const char* system :
         {"caffe", "caffe-mpi", "cntk", "cntk-1bit", "mxnet", "tensorflow-ps", "tensorflow-collective", "ddp",
          "horovod", "horovod-old", "singa-fused", "singa-half", "singa-sparse", "keras", "mg-wfbp", "mg-wfbp-rule"}) {
        CAPTURE(system);
        REQUIRE(findBuiltInPlan(system));
        CHECK_FALSE(findBuiltInPlan(system)->sources.empty());
    }
}

TEST_CASE("presets have the documented numbers")
{
    const auto plan = [](const char* name) { return describe(findBuiltInPlan(name)->plan); };
    CHECK(plan("caffe") == "a message per tensor, overlapped with backward");
    CHECK(plan("caffe-mpi") == "6 equal buckets, overlapped with backward");
    CHECK(plan("cntk") == "a message per tensor, after backward");
    CHECK(plan("cntk-1bit") == "a message per tensor, after backward, as 1 bit");
    CHECK(plan("mxnet") == "a server per node: a message per tensor, front layers first in chunks of 4 MB");
    CHECK(plan("tensorflow-ps") == "1 server: a message per tensor, overlapped with backward");
    CHECK(plan("tensorflow-collective") == plan("one-overlapped"));
    CHECK(plan("ddp") == plan("buckets"));
    CHECK(plan("horovod") == "fused up to 128 MiB every 1 ms, overlapped with backward");
    CHECK(plan("horovod-old") == "fused up to 64 MiB every 5 ms, overlapped with backward");
    CHECK(plan("keras") == plan("horovod"));
    CHECK(plan("singa-fused") == "buckets of 8 MiB, overlapped with backward");
    CHECK(plan("singa-half") == "buckets of 8 MiB, overlapped with backward, as fp16");
    CHECK(plan("singa-sparse") == "buckets of 8 MiB, overlapped with backward, the largest 5 %");
    CHECK(plan("mg-wfbp") == "merged where that saves time, overlapped with backward");
    CHECK(plan("mg-wfbp-rule") == "merged by MG-WFBP's rule, overlapped with backward");
}

TEST_CASE("a plan as a sentence")
{
    CHECK(sentenceOf(findBuiltInPlan("buckets")->plan) == "Gradients are sent during the backward pass (buckets of 1 "
                                                          "MiB, then 25 MiB); all ranks add them up in an all-reduce.");
    CHECK(sentenceOf(composed(Collective::hierarchical, Grouping::one, Schedule::afterBackward, Compression::fp16)) ==
          "Gradients are sent when the backward pass is over (one message); they are added up inside each node, then "
          "between the nodes; they travel as fp16.");
    CHECK(sentenceOf(findBuiltInPlan("cntk-1bit")->plan) ==
          "Gradients are sent when the backward pass is over (a message per tensor); each rank adds up one part of "
          "what all send it, and sends the sum to all; they travel as one bit each, and what that loses is added to "
          "the next ones.");
    CHECK(sentenceOf(findBuiltInPlan("singa-sparse")->plan) ==
          "Gradients are sent during the backward pass (buckets of 8 MiB); all ranks gather what each sends, with its "
          "places, and add it up; only the largest 5 % travel, and what is left out is added to the next ones.");
    CHECK(sentenceOf(served(2, true, Placement::own)) ==
          "Gradients are sent during the backward pass (a message per tensor); 2 server ranks on nodes of their own "
          "update the weights for each worker apart.");
    CHECK(sentenceOf(served(1, false, Placement::shared)) ==
          "Gradients are sent during the backward pass (a message per tensor); 1 server rank on the workers' nodes "
          "adds them up and updates the weights.");
    CHECK(sentenceOf(AggregationPlan{}) == "Nothing is combined: there is one rank.");
}

TEST_CASE("two compositions never read the same")
{
    std::set<std::string> texts, sentences, keys;
    for (const Collective collective : kCollectives)
        for (const Grouping grouping : kGroupings)
            for (const Schedule schedule : kSchedules)
                for (const Compression compression : kCompressions)
                    if (collective != Collective::none) {
                        const AggregationPlan plan = composed(collective, grouping, schedule, compression);
                        CHECK(texts.insert(describe(plan)).second);
                        CHECK(sentences.insert(sentenceOf(plan)).second);
                        CHECK(keys.insert(keyOf(plan)).second);
                    }
    CHECK(texts.size() == (kCollectives.size() - 1) * kGroupings.size() * kSchedules.size() * kCompressions.size());
}

TEST_CASE("parts have a name, a label and a sentence each")
{
    const auto sound = [](const PlanPart& part) {
        return !part.name.empty() && !part.label.empty() && part.sentence.ends_with(".");
    };
    for (const Collective each : kCollectives)
        CHECK(sound(partOf(each)));
    for (const Grouping each : kGroupings)
        CHECK(sound(partOf(each)));
    for (const Schedule each : kSchedules)
        CHECK(sound(partOf(each)));
    for (const Compression each : kCompressions)
        CHECK(sound(partOf(each)));
    for (const Placement each : kPlacements)
        CHECK(sound(partOf(each)));
    CHECK(partOf(Grouping::equalBuckets).name == "equal_buckets");
    CHECK(partOf(Grouping::equalBuckets).label == "Equal buckets");
}

TEST_CASE("times of a cycle and shares, there and back")
{
    for (const std::int64_t cycle :
         {std::int64_t{1}, std::int64_t{1'000}, std::int64_t{1'500}, std::int64_t{2'000'000}})
        CHECK(parseCycle(formatCycle(cycle)) == cycle);
    CHECK(formatCycle(1'500) == "1500 us");
    CHECK(formatCycle(5'000) == "5 ms");
    CHECK(parseCycle(formatCycle(0)) == 0);
    CHECK(parseCycle("5ms") == 5'000);
    for (const char* wrong : {"", "5", "5 m", "-1 ms", "ms", "1.5 ms", "99999999999 ms", "5 ms "})
        CHECK_FALSE(parseCycle(wrong));
    CHECK(formatPercent(50'000) == "5 %");
    CHECK(formatPercent(12'345) == "1.2345 %");
}

TEST_CASE("a key has of a plan what counts")
{
    const AggregationPlan fused = findBuiltInPlan("horovod")->plan;
    CHECK(keyOf(fused) == keyOf(findBuiltInPlan("keras")->plan)); // its name is a setting, not a part
    CHECK(keyOf(fused) != keyOf(findBuiltInPlan("horovod-old")->plan));
    CHECK(keyOf(served(1, false, Placement::shared)) != keyOf(served(2, false, Placement::shared)));
    CHECK(keyOf(served(1, false, Placement::shared)) != keyOf(served(1, true, Placement::shared)));
    CHECK(keyOf(served(1, false, Placement::shared)) != keyOf(served(1, false, Placement::own)));
    AggregationPlan one = findBuiltInPlan("one")->plan;
    const std::string key = keyOf(one);
    one.bucketCount = 9;
    one.topkPpm = 9;
    one.servers = 9;
    one.fusionCycleUs = 9;
    one.chunkBytes = 9;
    CHECK(keyOf(one) == key);
}

TEST_CASE("a worker that lacks a part of a plan is named, and so is the part")
{
    SiteLimits site;
    site.features = std::set<std::string>{"mpi", "jpeg"};
    const AggregationPlan fused = findBuiltInPlan("horovod")->plan, half = findBuiltInPlan("singa-half")->plan;
    CHECK_FALSE(partLacking(fused, site)); // an old worker, whose plans are not known
    for (const char* part : {"collective:none", "collective:allreduce", "grouping:buckets", "schedule:overlapped"})
        site.features->insert(part);
    CHECK_FALSE(partLacking(findBuiltInPlan("buckets")->plan, site));
    CHECK(partLacking(fused, site) == "fusion");
    CHECK(partLacking(half, site) == "fp16");
    site.features->insert(planFeature("compression", "fp16"));
    CHECK_FALSE(partLacking(half, site));
    site.features->merge(std::set<std::string>{"collective:parameter_server", "grouping:per_tensor"});
    CHECK_FALSE(partLacking(served(1, false, Placement::shared), site));
    CHECK(partLacking(served(1, true, Placement::shared), site) == "asynchronous");
    Experiment experiment = smallExperiment();
    experiment.factors[1].levels = {std::string("buckets"), std::string("horovod")};
    CHECK(printed(validate(experiment, site)) ==
          "blocking factors.plan[1]: Plan: the worker of this computer cannot do “fusion”, which “horovod” needs. "
          "Use another plan, or a worker that can.\n");
}

TEST_CASE("a server per node is as many as nodes train, and another configuration than one")
{
    Experiment experiment = smallExperiment();
    experiment.factors = {{"nodes", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}},
                          {"plan", {std::string("mxnet"), std::string("single")}}};
    experiment.fixed.erase("ranks");
    experiment.fixed["ranks_per_node"] = std::int64_t{2};
    experiment.base = {};
    experiment.plans["single"] = forNodes(findBuiltInPlan("mxnet")->plan, 1);
    experiment.plans["single"].name = "single";
    std::vector<int> servers;
    for (const Configuration& configuration : expanded(experiment).configurations) {
        CHECK_FALSE(configuration.plan.serverPerNode);
        servers.push_back(configuration.plan.serverRanks());
    }
    CHECK(servers == std::vector<int>{1, 1, 2, 1, 3, 1});
    const AggregationPlan perNode = findBuiltInPlan("mxnet")->plan;
    CHECK(keyOf(forNodes(perNode, 1)) == keyOf(experiment.plans["single"]));
    CHECK(keyOf(forNodes(perNode, 2)) != keyOf(experiment.plans["single"]));
    CHECK(sentenceOf(perNode) == "Gradients are sent in chunks of 4 MB, those of the front layers first (a message per "
                                 "tensor); as many server ranks as nodes, on the workers' nodes, add them up and "
                                 "update the weights.");
}

TEST_CASE("servers count as nodes and cores")
{
    const auto findings = [](const AggregationPlan& plan) {
        Experiment experiment = smallExperiment();
        experiment.factors = {{"plan", {std::string("served")}}};
        experiment.fixed["ranks"] = std::int64_t{2};
        experiment.base = {{"ranks", std::int64_t{2}}};
        experiment.plans["served"] = plan;
        experiment.plans["served"].name = "served";
        SiteLimits site;
        site.cores = 3;
        return printed(validate(experiment, site));
    };
    CHECK(findings(served(1, false, Placement::shared)) == "");
    CHECK(findings(served(2, false, Placement::shared)) ==
          "warning factors.plan[0]: Plan: 2 ranks and 2 processes beside them, with 1 core each, are more than this "
          "computer has "
          "(3 cores). They share cores, so their times mean little.\n");
    CHECK(findings(served(3, false, Placement::own)) ==
          "blocking factors.plan[0]: Plan: its servers need 2 nodes of their own; with 1 for the ranks that is more "
          "than this computer has (1). Use placement = \"shared\", fewer servers or fewer nodes.\n");
}
