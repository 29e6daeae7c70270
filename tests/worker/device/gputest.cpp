// SPDX-License-Identifier: MIT
// Training on the GPU of this machine against training on its CPU: ctest -L gpu.
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/device/device.h"
#include "agent/worker/device/devicegraph.h"
#include "tests/worker/train/attempt.h"
#include "tests/worker/train/phaseproof.h"

#include <doctest/doctest.h>
#include <numeric>

using namespace ringside;
using ringside::test::Attempt;
using ringside::test::Spool;

namespace {

bool isSkipped(bool needsNccl = false)
{
    const auto gpus = cuda::gpuCount();
    const auto torch = loadTorchCuda();
    const auto plugin = needsNccl ? cuda::hasPlugin() : true;
    if (!gpus)
        MESSAGE("skipped: ", gpus.error().text());
    else if (!torch)
        MESSAGE("skipped: ", torch.error().text());
    else if (!plugin)
        MESSAGE("skipped: this ringside-worker was built without the CUDA plug-in");
    else if (needsNccl && *gpus < 2)
        MESSAGE("skipped: NCCL needs a GPU for each of 2 ranks, and there is ", *gpus);
    return !gpus || !torch || !plugin || (needsNccl && *gpus < 2);
}

Spool spoolOf(const std::string& device, int ranks, const Settings& more = {})
{
    Attempt attempt(ranks);
    attempt.meeting = Meeting::tcp; // a machine with GPUs need not have MPI
    attempt.run.iterations = 40;
    attempt.run.settings["device"] = device;
    for (const auto& [key, value] : more)
        attempt.run.settings[key] = value;
    CHECK(attempt.exitCode() == exitcode::kDone);
    return attempt.spool(0);
}

std::int64_t sum(const PhaseTimes& phases)
{
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
}

void checkAlike(const Spool& cpu, const Spool& gpu, double epsilon)
{
    REQUIRE(gpu.samples.size() == cpu.samples.size());
    for (std::size_t i = 0; i < cpu.samples.size(); ++i)
        CHECK(gpu.samples[i].loss == doctest::Approx(cpu.samples[i].loss).epsilon(epsilon));
}

/// Every border was passed in order, and what belongs to a GPU took time.
void checkPhases(const Spool& gpu)
{
    for (std::size_t i = 1; i < gpu.samples.size(); ++i) {
        const Sample &before = gpu.samples[i - 1], &sample = gpu.samples[i];
        CHECK(before.startNs + sum(before.phases) == sample.startNs);
        for (const Phase phase : {Phase::forward, Phase::backward, Phase::update})
            CHECK(sample.phases[static_cast<std::size_t>(phase)] > 0);
        CHECK(sample.h2dTotalNs == 0); // synthetic numbers are there
    }
    REQUIRE(!gpu.layers.empty());
    for (const LayerTiming& layer : gpu.layers.front().layers)
        CHECK((layer.forwardNs > 0 && layer.backwardNs > 0));
}

} // namespace

TEST_CASE("LeNet on the GPU learns what it learns on the CPU, and its phases are whole")
{
    if (isSkipped())
        return;
    const Spool cpu = spoolOf("cpu", 1), gpu = spoolOf("cuda", 1);
    checkAlike(cpu, gpu, 1e-3);
    checkPhases(gpu);
}

TEST_CASE("pictures are copied in every iteration")
{
    if (isSkipped())
        return;
    const Spool gpu = spoolOf("cuda", 1, {{"data", std::string("synthetic-files")}, {"pictures", std::int64_t{20}}});
    for (const Sample& sample : gpu.samples)
        CHECK(sample.h2dTotalNs > 0);
}

TEST_CASE("with channels last, bf16, TF32 and cuDNN's autotuning, too, to what they round")
{
    if (isSkipped())
        return;
    const auto word = [](const char* text) { return Value(std::string(text)); };
    checkAlike(spoolOf("cpu", 1, {{"layout", word("channels_last")}}),
               spoolOf("cuda", 1, {{"layout", word("channels_last")}}), 1e-3);
    // At the usual learning rate the loss jumps after 28 iterations, on the CPU, too: no rounding follows it there.
    const Settings slow{{"learning_rate", 0.005}};
    const auto roundedBy = [&](Settings how) {
        how.insert(slow.begin(), slow.end());
        return spoolOf("cuda", 1, how);
    };
    const Spool exact = spoolOf("cpu", 1, slow);
    checkAlike(exact, roundedBy({{"tf32", word("on")}, {"cudnn_benchmark", word("on")}}), 2e-2);
    checkAlike(exact, roundedBy({{"precision", word("bf16")}}), 3e-2);
}

TEST_CASE("with a CUDA graph, or phase by phase, it learns the same")
{
    if (isSkipped())
        return;
    const auto word = [](const char* text) { return Value(std::string(text)); };
    const Spool eager = spoolOf("cuda", 1), serialised = spoolOf("cuda", 1, {{"timing", word("serialised")}});
    checkAlike(eager, serialised, 1e-3);
    checkPhases(serialised);
    if (!hasCudaGraphs()) {
        MESSAGE("skipped: this ringside-worker was built without CUDA graphs");
        return;
    }
    const Spool graphed = spoolOf("cuda", 1, {{"cuda_graph", word("on")}, {"dropout", 0.0}});
    checkAlike(eager, graphed, 1e-3);
    CHECK(graphed.layers.empty());
    checkAlike(spoolOf("cuda", 2), spoolOf("cuda", 2, {{"cuda_graph", word("on")}}), 1e-3);
}

TEST_CASE("two ranks that exchange through page-locked memory learn what they learn on CPUs")
{
    if (isSkipped())
        return;
    const Spool gpu = spoolOf("cuda", 2);
    checkAlike(spoolOf("cpu", 2), gpu, 1e-3);
    REQUIRE(!gpu.buckets.empty());
    CHECK(gpu.buckets.front().buckets.size() > 1);
}

TEST_CASE("two ranks whose GPUs sum by NCCL, where the gradients are, learn the same")
{
    if (isSkipped(true))
        return;
    checkAlike(spoolOf("cpu", 2), spoolOf("cuda", 2, {{"backend", std::string("nccl")}}), 1e-3);
}

TEST_CASE("a delay of 20 ms grows its own phase by 20 ms on a GPU, too, and every other by less than 1 ms")
{
    if (isSkipped())
        return;
    ringside::test::provePhases([](Attempt& attempt) {
        attempt.meeting = Meeting::tcp;
        attempt.run.settings["device"] = std::string("cuda");
    });
}
