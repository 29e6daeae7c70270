// SPDX-License-Identifier: MIT
#include "core/base/filesystem.h"
#include "core/protocol/facts.h"
#include "core/protocol/nodefolder.h"
#include "tests/worker/train/attempt.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::planNamed;
using ringside::test::servedBy;
using ringside::test::Spool;

namespace {

void checkComplete(const Spool& spool, int iterations)
{
    CHECK(static_cast<int>(spool.samples.size()) == iterations);
    REQUIRE(spool.end);
    CHECK(spool.end->exitCode == 0);
    CHECK(static_cast<int>(spool.end->samples) == iterations);
    CHECK(spool.end->droppedSamples == 0);
    CHECK(spool.heartbeats >= 1);
    CHECK(spool.clockPairs == 2);
}

void checkContinuous(const std::vector<Sample>& samples)
{
    for (std::size_t i = 1; i < samples.size(); ++i) {
        CHECK(samples[i].seq == i);
        CHECK(samples[i].startNs == samples[i - 1].endNs());
    }
}

/// Each inside its phase, and together no longer than it. What an iteration begins with is of phase other, too.
void checkLayers(const Sample& sample, const std::vector<LayerTiming>& layers)
{
    const auto startOf = [&](Phase phase) {
        std::int64_t start = 0;
        for (std::size_t before = 0; before < static_cast<std::size_t>(phase); ++before)
            start += sample.phases[before];
        return start;
    };
    const std::int64_t other = sample.phases[static_cast<std::size_t>(Phase::other)];
    std::int64_t forward = 0, backward = 0;
    for (const LayerTiming& layer : layers) {
        CHECK(layer.forwardStartNs >= startOf(Phase::forward));
        CHECK(layer.forwardStartNs + layer.forwardNs <= startOf(Phase::backward) + other);
        CHECK(layer.backwardStartNs >= startOf(Phase::backward));
        CHECK(layer.readyNs <= startOf(Phase::commExposed) + other);
        forward += layer.forwardNs;
        backward += layer.backwardNs;
    }
    CHECK(forward > 0);
    CHECK(backward > 0);
    CHECK(forward <= sample.phases[static_cast<std::size_t>(Phase::forward)]);
    CHECK(backward <= sample.phases[static_cast<std::size_t>(Phase::backward)]);
}

} // namespace

TEST_CASE("one rank trains and leaves a complete spool and facts")
{
    Attempt attempt;
    CHECK(attempt.exitCode() == 0);
    const auto spool = attempt.spool(0);
    checkComplete(spool, 20);
    checkContinuous(spool.samples);
    CHECK(spool.samples[5].items == 4);
    CHECK(spool.samples[5].bytesSent == 0);
    const auto facts = factsFromJson(attempt.facts());
    REQUIRE(facts);
    CHECK(facts->model.at("parameters") == "62006");
    CHECK(facts->model.at(kForwardFlopsPerImage) == "1303440");
    CHECK(flopsPerImage(*facts) == 3 * 1'303'440 - 705'600);
    CHECK(facts->transport == "single");
    CHECK(facts->versions.contains("torch"));
    REQUIRE(facts->ranks.size() == 1);
    CHECK(facts->ranks[0].threads == 1);
}

TEST_CASE("the loss falls on data that can be learnt, by every precision and layout")
{
    for (const std::string precision : {"fp32", "bf16"})
        for (const std::string layout : {"contiguous", "channels_last"}) {
            INFO(precision << ", " << layout);
            Attempt attempt;
            attempt.run.iterations = 100;
            attempt.run.settings["precision"] = precision;
            attempt.run.settings["layout"] = layout;
            CHECK(attempt.exitCode() == 0);
            const auto samples = attempt.spool(0).samples;
            REQUIRE(samples.size() == 100);
            CHECK(samples.back().loss < 0.5f * samples.front().loss);
        }
}

TEST_CASE("two ranks train by every plan and count what they sent")
{
    for (const std::string name : {"one", "one-overlapped", "buckets", "buckets-after"}) {
        INFO(name);
        Attempt attempt(2);
        attempt.run.plan = planNamed(name);
        REQUIRE(attempt.exitCode() == 0);
        for (const int rank : {0, 1}) {
            const auto spool = attempt.spool(rank);
            checkComplete(spool, 20);
            checkContinuous(spool.samples);
            CHECK(spool.samples[5].bytesSent == 62006 * sizeof(float));
            CHECK(spool.samples[5].commTotalNs > 0);
            REQUIRE(spool.buckets.size() == 1);
            CHECK(spool.buckets[0].seq == 3); // the first after the warm-up
            CHECK((spool.buckets[0].buckets.size() == 1) == (attempt.run.plan.grouping == Grouping::one));
        }
        const auto facts = factsFromJson(attempt.facts()).value();
        REQUIRE(facts.ranks.size() == 2);
        CHECK(facts.ranks[0].host == facts.ranks[1].host);
        CHECK(facts.transport.starts_with("mpi: "));
    }
}

TEST_CASE("layers are merged by times and costs that the facts name, and as many messages are sent")
{
    Attempt attempt(2);
    attempt.run.plan = planNamed("one-overlapped");
    attempt.run.plan.grouping = Grouping::optimal;
    REQUIRE(attempt.exitCode() == 0);
    const auto facts = factsFromJson(attempt.facts());
    REQUIRE(facts);
    const std::string& groups = facts->model.at("plan_groups");
    CAPTURE(groups);
    CHECK(groups.starts_with("5 layers, the last first: "));
    CHECK(facts->model.at("plan_message_cost").find("ns/B") != std::string::npos);
    const auto messages = static_cast<std::size_t>(1 + std::ranges::count(groups, '+'));
    for (const int rank : {0, 1}) {
        const Spool spool = attempt.spool(rank);
        REQUIRE(!spool.buckets.empty());
        CHECK(spool.buckets.front().buckets.size() == messages);
        CHECK(spool.samples.back().bytesSent == std::stoull(facts->model.at("gradient_bytes")));
    }
}

TEST_CASE("layers are merged by the cost of a calibration where the run brings one")
{
    const auto modelFacts = [](const std::optional<CalibratedCost>& cost) {
        Attempt attempt(2);
        attempt.run.plan = planNamed("one-overlapped");
        attempt.run.plan.grouping = Grouping::optimal;
        attempt.run.calibratedCost = cost;
        REQUIRE(attempt.exitCode() == 0);
        const auto facts = factsFromJson(attempt.facts());
        REQUIRE(facts);
        auto model = facts->model;
        model["transport"] = facts->transport;
        return model;
    };
    const auto measured = modelFacts(std::nullopt);
    CHECK(measured.at("plan_message_cost_source") == "measured before training");
    const CalibratedCost latent{12, 1'700'000'000'000'000'000, measured.at("transport"), {{1 << 30, 1, 0}}};
    const auto few = modelFacts(latent);
    CHECK(few.at("plan_message_cost_source") == "calibration of 2023-11-14T22:13:20Z (run 12)");
    CHECK(few.at("plan_groups") == "5 layers, the last first: 5");
    CHECK(few.at("plan_message_cost").starts_with("1000000.0 µs + 0.0000 ns/B"));
    CalibratedCost slow = latent;
    slow.segments = {{1 << 30, 0, 1e-6}}; // messages cost nothing but their bytes
    CHECK(modelFacts(slow).at("plan_groups").find('+') != std::string::npos);
    slow.transport = "pigeons";
    CHECK(modelFacts(slow).at("plan_message_cost_source") ==
          "measured before training; the calibration (run 12) was by pigeons");
}

TEST_CASE("where the faster transport is taken, facts say which it is and why")
{
    Attempt attempt(2);
    attempt.run.settings["backend"] = std::string("auto");
    REQUIRE(attempt.exitCode() == 0);
    const auto facts = factsFromJson(attempt.facts());
    REQUIRE(facts);
    CHECK(facts->model.at("plan_transport") == facts->transport + ", since all ranks are on one host");
}

TEST_CASE("ranks train with servers, in step or not, and servers leave a spool without samples")
{
    for (const bool asynchronous : {false, true})
        for (const int servers : {1, 2}) {
            INFO(servers << " servers, asynchronous: " << asynchronous);
            Attempt attempt(2);
            attempt.run.plan = servedBy(servers, asynchronous);
            REQUIRE(attempt.exitCode() == 0);
            for (const int rank : {0, 1}) {
                const auto spool = attempt.spool(rank);
                checkComplete(spool, 20);
                checkContinuous(spool.samples);
                CHECK(spool.worldSize == 2);
                CHECK(spool.samples[5].bytesSent == 62006 * sizeof(float));
                CHECK(spool.samples[5].commTotalNs > 0);
                CHECK(spool.samples[5].commTotalNs <= spool.samples[5].lengthNs());
                CHECK(spool.buckets.at(0).buckets.size() > 1);
                CHECK(spool.clocks.size() == 2);
            }
            for (int server = 2; server < 2 + servers; ++server) {
                const auto spool = attempt.spool(server);
                checkComplete(spool, 0);
                CHECK(spool.worldSize == 2 + servers);
            }
            const auto facts = factsFromJson(attempt.facts()).value();
            CHECK(facts.ranks.size() == 2 + std::size_t(servers));
            CHECK(facts.ranks.back().host == facts.ranks.front().host);
        }
}

TEST_CASE("with servers that go in step the losses are those of an all-reduce")
{
    Attempt served(2), reduced(2);
    served.run.plan = servedBy(2);
    served.run.seed = reduced.run.seed;
    REQUIRE(served.exitCode() == 0);
    REQUIRE(reduced.exitCode() == 0);
    for (const std::size_t i : {0u, 5u, 19u})
        CHECK(served.spool(0).samples[i].loss == doctest::Approx(reduced.spool(0).samples[i].loss).epsilon(1e-4));
}

TEST_CASE("with the schedule priority layers wait for their own weights, and the losses are those of an all-reduce")
{
    constexpr int iterations = 8;
    for (const int ranks : {2, 4}) {
        // Four that wait by MPI would take two cores from those that they wait for.
        const Meeting meeting = ranks == 2 ? Meeting::mpi : Meeting::tcp;
        Attempt reduced(ranks);
        reduced.meeting = meeting;
        reduced.run.iterations = iterations;
        REQUIRE(reduced.exitCode() == 0);
        for (const int servers : {0, 2}) {
            INFO(ranks << " ranks, " << servers << " servers");
            Attempt attempt(ranks);
            attempt.meeting = meeting;
            attempt.run.iterations = iterations;
            attempt.run.plan = servers > 0 ? servedBy(servers) : planNamed("one-overlapped");
            attempt.run.plan.grouping = Grouping::perTensor;
            attempt.run.plan.schedule = Schedule::priority;
            attempt.run.plan.chunkBytes = 10'000;
            attempt.run.seed = reduced.run.seed;
            REQUIRE(attempt.exitCode() == 0);
            for (int rank = 0; rank < ranks; ++rank) {
                const Spool spool = attempt.spool(rank), other = reduced.spool(rank);
                checkComplete(spool, iterations);
                checkContinuous(spool.samples);
                REQUIRE(spool.layers.size() == 1);
                REQUIRE(spool.buckets.size() == 1);
                CHECK(spool.buckets[0].buckets.size() == 33); // 25 of them are cut from two tensors
                for (const Sample& sample : spool.samples) {
                    CHECK(sample.bytesSent == 62006 * sizeof(float));
                    CHECK(sample.loss == doctest::Approx(other.samples[sample.seq].loss).epsilon(1e-4));
                }
            }
        }
    }
}

TEST_CASE("two ranks train models of text, count sequences, and the loss falls")
{
    for (const std::string precision : {"fp32", "bf16"}) {
        INFO(precision);
        Attempt attempt(2);
        attempt.run.iterations = 12;
        attempt.run.settings["model"] = std::string("lstm");
        attempt.run.settings["batch_per_rank"] = std::int64_t{3};
        attempt.run.settings["sequence_length"] = std::int64_t{10};
        attempt.run.settings["learning_rate"] = 0.5;
        attempt.run.settings["dropout"] = 0.0;
        attempt.run.settings["precision"] = precision;
        REQUIRE(attempt.exitCode() == 0);
        const Facts facts = factsFromJson(attempt.facts()).value();
        CHECK(facts.model.at("tensors") == "11");
        CHECK(facts.data.at("sequences") == "3");
        CHECK(flopsPerImage(facts) == 6.0 * 10 * (2 * 4 * 650 * 2 * 650 + 10'000 * 650)); // 10 tokens
        REQUIRE(facts.layers.size() == 4);
        CHECK(facts.layers[1].name == "rnn.l0");
        for (const int rank : {0, 1}) {
            const auto spool = attempt.spool(rank);
            checkComplete(spool, 12);
            CHECK(spool.samples[5].items == 3);
            CHECK(spool.samples[5].bytesSent == 19'780'400 * sizeof(float));
            CHECK(spool.samples.front().loss == doctest::Approx(std::log(10'000)).epsilon(0.01)); // by chance
            CHECK(spool.samples.back().loss < 0.9f * spool.samples.front().loss);
            REQUIRE(spool.layers.size() == 1);
            checkLayers(spool.samples[3], spool.layers[0].layers);
        }
    }
}

TEST_CASE("with the schedule priority a weight that two layers share is updated before either computes")
{
    std::vector<Spool> spools;
    for (const Schedule schedule : {Schedule::overlapped, Schedule::priority}) {
        Attempt attempt(2);
        attempt.run.iterations = 2; // the second one computes by the first one's update
        attempt.run.warmup = 1;
        attempt.run.seed = 7;
        attempt.run.settings["model"] = std::string("gpt2");
        attempt.run.settings["batch_per_rank"] = std::int64_t{1};
        attempt.run.settings["sequence_length"] = std::int64_t{6};
        attempt.run.plan = planNamed("one-overlapped");
        attempt.run.plan.grouping = Grouping::perTensor;
        attempt.run.plan.schedule = schedule;
        attempt.run.plan.chunkBytes = 8 << 20;
        REQUIRE(attempt.exitCode() == 0);
        spools.push_back(attempt.spool(0));
        checkComplete(spools.back(), 2);
        CHECK(spools.back().samples[1].bytesSent == 124'439'808 * sizeof(float));
    }
    CHECK(spools[0].samples[0].loss == doctest::Approx(std::log(50'257)).epsilon(0.05)); // by chance
    CHECK(spools[0].samples[1].loss < 0.9f * spools[0].samples[0].loss);
    for (std::size_t i = 0; i < 2; ++i)
        CHECK(spools[1].samples[i].loss == doctest::Approx(spools[0].samples[i].loss).epsilon(1e-3));
}

TEST_CASE("paced ranks send what computing ones send, and wait in place of computing")
{
    Attempt attempt(2);
    attempt.run.plan = planNamed("buckets");
    attempt.run.settings["compute"] = std::string("paced");
    attempt.run.settings["layer_ms"] = 4.0;
    REQUIRE(attempt.exitCode() == 0);
    constexpr std::int64_t layerNs = 4'000'000, layers = 5;
    for (const int rank : {0, 1}) {
        const auto spool = attempt.spool(rank);
        checkComplete(spool, 20);
        const Sample& sample = spool.samples[5];
        CHECK(sample.bytesSent == 62006 * sizeof(float));
        CHECK(sample.phases[static_cast<std::size_t>(Phase::forward)] >= layers * layerNs);
        CHECK(sample.phases[static_cast<std::size_t>(Phase::backward)] >= 2 * layers * layerNs);
    }
    const Facts facts = factsFromJson(attempt.facts()).value();
    CHECK(facts.model.at("compute") == "paced");
    CHECK_FALSE(flopsPerImage(facts)); // nothing is computed
}

TEST_CASE("one iteration after the warm-up is recorded layer by layer, computed or paced")
{
    for (const std::string compute : {"real", "paced"}) {
        INFO(compute);
        Attempt attempt(2);
        attempt.run.plan = planNamed("buckets");
        attempt.run.settings["compute"] = compute;
        if (compute == "paced")
            attempt.run.settings["layer_ms"] = 2.0;
        REQUIRE(attempt.exitCode() == 0);
        const Facts facts = factsFromJson(attempt.facts()).value();
        REQUIRE(facts.layers.size() == 5);
        CHECK(facts.layers[0] == LayerFacts{"conv1", 4 * (6 * 3 * 25 + 6)});
        CHECK(facts.layers[4] == LayerFacts{"fc3", 4 * (84 * 10 + 10)});
        for (const int rank : {0, 1}) {
            const auto spool = attempt.spool(rank);
            REQUIRE(spool.layers.size() == 1);
            REQUIRE(spool.buckets.size() == 1);
            CHECK(spool.layers[0].seq == 3);
            CHECK(spool.buckets[0].seq == 3);
            REQUIRE(spool.layers[0].layers.size() == 5);
            checkLayers(spool.samples[3], spool.layers[0].layers);
            // The last bucket can go once the first layer has its gradients, and not before.
            CHECK(spool.buckets[0].buckets.back().startNs >= spool.layers[0].layers[1].readyNs);
        }
    }
}

TEST_CASE("a single rank's layers are recorded, too")
{
    Attempt attempt;
    attempt.run.iterations = 50;
    REQUIRE(attempt.exitCode() == 0);
    const auto spool = attempt.spool(0);
    // 6 + 12 + 5 · 40 bytes are 5 % of those of 34.6 samples.
    REQUIRE(spool.layers.size() == 2);
    CHECK(spool.layers[1].seq == 3 + 35);
    for (const LayerTimings& each : spool.layers)
        checkLayers(spool.samples[each.seq], each.layers);
}

TEST_CASE("the clock of each rank is put beside the first one's before and after")
{
    Attempt attempt(2);
    REQUIRE(attempt.exitCode() == 0);
    for (const int rank : {0, 1}) {
        const auto spool = attempt.spool(rank);
        REQUIRE(spool.clocks.size() == 2);
        CHECK(spool.clocks[0].atNs < spool.samples.front().startNs);
        CHECK(spool.clocks[1].atNs > spool.samples.back().startNs);
        for (const ClockOffset& clock : spool.clocks) { // on one host it is one clock
            CHECK(clock.offsetNs == 0);
            CHECK(clock.uncertaintyNs == 0);
        }
    }
}

TEST_CASE("ranks see different pictures and one model")
{
    Attempt two(2);
    REQUIRE(two.exitCode() == 0);
    CHECK(two.spool(0).samples[0].loss != two.spool(1).samples[0].loss);
    Attempt joined;
    joined.run.settings["batch_per_rank"] = std::int64_t{8};
    REQUIRE(joined.exitCode() == 0);
    for (const std::size_t i : {0u, 5u, 19u}) {
        const float mean = (two.spool(0).samples[i].loss + two.spool(1).samples[i].loss) / 2;
        CHECK(mean == doctest::Approx(joined.spool(0).samples[i].loss).epsilon(1e-3));
    }
}

TEST_CASE("losses are the same to the bit from single files and from packed records")
{
    const auto losses = [](const char* files, const char* cache) {
        Attempt attempt(2);
        attempt.run.iterations = 6;
        attempt.run.settings["data"] = std::string("synthetic-files");
        attempt.run.settings["pictures"] = std::int64_t{20};
        attempt.run.settings["files"] = std::string(files);
        attempt.run.settings["cache"] = std::string(cache);
        REQUIRE(attempt.exitCode() == 0);
        CHECK(attempt.facts().find(files == std::string("packed") ? "one file" : "\"no\"") != std::string::npos);
        std::vector<float> found;
        for (const int rank : {0, 1})
            for (const Sample& sample : attempt.spool(rank).samples) {
                CHECK(sample.readNs > 0);
                CHECK(sample.decodeNs > 0);
                found.push_back(sample.loss);
            }
        CHECK(found.size() == 12);
        return found;
    };
    const auto single = losses("single", "warmed");
    CHECK(losses("packed", "warmed") == single);
    CHECK(losses("packed", "cold") == single);
}

TEST_CASE("losses are the same to the bit from where the pictures are and from a node's copy of them")
{
    const test::TemporaryFolder node;
    ::setenv(kNodeFolderVariable, (node / "data").c_str(), 1);
    const auto losses = [&](const char* storage, const char* files, const char* cache) {
        Attempt attempt(2);
        attempt.run.iterations = 6;
        attempt.run.settings["data"] = std::string("synthetic-files");
        attempt.run.settings["pictures"] = std::int64_t{20};
        attempt.run.settings["storage"] = std::string(storage);
        attempt.run.settings["files"] = std::string(files);
        attempt.run.settings["cache"] = std::string(cache);
        REQUIRE(attempt.exitCode() == 0);
        const auto facts = factsFromJson(attempt.facts());
        REQUIRE(facts);
        const bool copied = storage == std::string("node-local");
        const std::string told =
            copied ? "node-local: copied to " + (node / "data/pictures").string() + ", " : "shared";
        CHECK(facts->data.at("storage").starts_with(told));
        CHECK_FALSE(facts->data.at("file_system").empty());
        CHECK(facts->data.at("folder").starts_with(attempt.folder().string()));
        CHECK(fs::exists(node / "data") == copied);
        fs::remove_all(node / "data"); // as the guard does
        std::vector<float> found;
        for (const int rank : {0, 1})
            for (const Sample& sample : attempt.spool(rank).samples)
                found.push_back(sample.loss);
        CHECK(found.size() == 12);
        return found;
    };
    const auto expected = losses("shared", "single", "warmed");
    CHECK(losses("node-local", "single", "warmed") == expected);
    CHECK(losses("node-local", "packed", "warmed") == expected);
    if (fileSystemOf(node.path())->type != "tmpfs")
        CHECK(losses("node-local", "single", "cold") == expected);
    ::unsetenv(kNodeFolderVariable);
}
