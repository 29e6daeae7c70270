// SPDX-License-Identifier: MIT
// The worker's answers to settings, data and batches that it cannot use.
#include "agent/worker/cuda/pluginloader.h"
#include "core/protocol/states.h"
#include "tests/worker/train/attempt.h"

#include <doctest/doctest.h>
#include <map>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::servedBy;

namespace {

int exitCodeWith(std::string key, Value value)
{
    Attempt attempt;
    attempt.run.settings[std::move(key)] = std::move(value);
    return attempt.exitCode();
}

} // namespace

TEST_CASE("settings that this worker does not take end with 10")
{
    CHECK(exitCodeWith("model", std::string("lenett")) == exitcode::kSettings);
    CHECK(exitCodeWith("batch_per_rank", std::int64_t{0}) == exitcode::kSettings);
    CHECK(exitCodeWith("image_size", std::int64_t{8}) == exitcode::kSettings);
    CHECK(exitCodeWith("precision", std::string("fp8")) == exitcode::kSettings);
    CHECK(exitCodeWith("device", std::string("gpu")) == exitcode::kSettings);
    CHECK(exitCodeWith("tf32", std::string("maybe")) == exitcode::kSettings);
    CHECK(exitCodeWith("data", std::string("tape")) == exitcode::kSettings);
    CHECK(exitCodeWith("learning_rate", std::string("fast")) == exitcode::kSettings);
    CHECK(exitCodeWith("storage", std::string("cloud")) == exitcode::kSettings);
    CHECK(exitCodeWith("storage", std::string("node-local")) == exitcode::kSettings); // synthetic data has no files
}

TEST_CASE("every phase of the table can be delayed by its name, and nothing that is no place")
{
    Attempt delayed, refused;
    for (const Phase phase : kPhases)
        for (const auto& word : {std::string("--delay"), std::string(nameOf(phase)) + "=1"})
            delayed.options.push_back(word);
    CHECK(delayed.exitCode() == exitcode::kDone);
    refused.options = {"--delay", "lunch=20"};
    CHECK(refused.exitCode() == exitcode::kSettings);
}

TEST_CASE("what is for pictures alone, and too long a sequence, end with 10 for a model of text")
{
    const auto exitCode = [](const char* model, std::string key, Value value) {
        Attempt attempt;
        attempt.run.settings["model"] = std::string(model);
        attempt.run.settings[std::move(key)] = std::move(value);
        return attempt.exitCode();
    };
    CHECK(exitCode("gpt2", "sequence_length", std::int64_t{1025}) == exitcode::kSettings);
    CHECK(exitCode("lstm", "sequence_length", std::int64_t{0}) == exitcode::kSettings);
    CHECK(exitCode("lstm", "layout", std::string("channels_last")) == exitcode::kSettings);
    CHECK(exitCode("lstm", "data", std::string("synthetic-files")) == exitcode::kSettings);
    CHECK(exitCode("lenet", "sequence_length", std::int64_t{4096}) == exitcode::kDone); // has no effect
}

TEST_CASE("a plan that this worker has not, or whose parts do not go together, ends with 10 and is not run as another")
{
    for (const auto change : {+[](AggregationPlan& plan) {
                                  plan.grouping = Grouping::one;
                                  plan.schedule = Schedule::priority;
                              },
                              +[](AggregationPlan& plan) {
                                  plan.collective = Collective::parameterServer;
                                  plan.grouping = Grouping::fusion;
                              },
                              +[](AggregationPlan& plan) {
                                  plan.grouping = Grouping::optimal;
                                  plan.schedule = Schedule::afterBackward;
                              },
                              +[](AggregationPlan& plan) {
                                  plan.collective = Collective::hierarchical;
                                  plan.compression = Compression::onebit;
                              }}) {
        Attempt attempt(2);
        change(attempt.run.plan);
        CHECK(attempt.exitCode() == exitcode::kSettings);
    }
}

TEST_CASE("more messages than servers can hold are refused before any is sent")
{
    Attempt attempt(2);
    attempt.run.plan = servedBy(1);
    attempt.run.plan.schedule = Schedule::priority;
    attempt.run.plan.chunkBytes = 4; // a number each: LeNet has 62,006 here
    const auto [code, said] = attempt.exitCodeAndWords();
    CHECK(code == exitcode::kSettings);
    CHECK_MESSAGE(said.find("into 62006 messages, and servers hold 32000 at most") != std::string::npos, said);
}

TEST_CASE("NCCL without a GPU, or with parameter servers, ends with 10 on all ranks")
{
    if (cuda::gpuCount()) {
        MESSAGE("skipped: this machine has a GPU");
        return;
    }
    for (const int servers : {0, 1}) {
        Attempt attempt(2);
        attempt.run.settings["backend"] = std::string("nccl");
        if (servers > 0)
            attempt.run.plan = servedBy(servers);
        CHECK(attempt.exitCode() == exitcode::kSettings);
    }
}

TEST_CASE("a rank that has no GPU to compute on says so and ends with 10, all of them alike")
{
    if (cuda::gpuCount()) {
        MESSAGE("skipped: this machine has a GPU");
        return;
    }
    for (const int ranks : {1, 2}) {
        Attempt attempt(ranks);
        attempt.run.settings["device"] = std::string("cuda");
        CHECK(attempt.exitCode() == exitcode::kSettings);
    }
}

TEST_CASE("several ranks keep to the network interface they are told, or say that it is not there")
{
    for (const auto& [interface, code] :
         std::map<std::string, int>{{"lo", exitcode::kDone}, {"none0", exitcode::kSettings}}) {
        CAPTURE(interface);
        Attempt attempt(2);
        attempt.run.settings["interface"] = interface;
        CHECK(attempt.exitCode() == code);
    }
    CHECK(exitCodeWith("interface", std::string("none0")) == exitcode::kDone); // a single rank has no peer
}

TEST_CASE("ranks that do not divide the global batch end with 10")
{
    Attempt attempt(2);
    Settings settings = attempt.run.settings;
    settings.erase("batch_per_rank");
    settings["batch_global"] = std::int64_t{7};
    attempt.run.settings = settings;
    CHECK(attempt.exitCode() == exitcode::kSettings);
}

TEST_CASE("a batch that cannot fit is refused before memory runs out")
{
    Attempt attempt;
    attempt.run.settings["model"] = std::string("resnet50");
    attempt.run.settings["image_size"] = std::int64_t{2048};
    attempt.run.settings["batch_per_rank"] = std::int64_t{4096};
    CHECK(attempt.exitCode() == exitcode::kOutOfMemory);
    REQUIRE(attempt.spool(0).end);
    CHECK(attempt.spool(0).end->exitCode == exitcode::kOutOfMemory);

    Attempt text;
    text.run.settings["model"] = std::string("gpt2");
    text.run.settings["sequence_length"] = std::int64_t{1024};
    text.run.settings["batch_per_rank"] = std::int64_t{4096};
    CHECK(text.exitCode() == exitcode::kOutOfMemory);
}

TEST_CASE("a data folder that is not there ends with 13, on all ranks")
{
    Attempt attempt(2);
    attempt.run.settings["data"] = std::string("folder");
    attempt.run.settings["data_path"] = std::string("/nowhere/at/all");
    CHECK(attempt.exitCode() == exitcode::kData);
}
