// SPDX-License-Identifier: MIT
#include "core/protocol/memoryneed.h"

#include "core/protocol/models.h"

#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr std::uint64_t kProcessBytes = 400u << 20; // libtorch's code and pools before any tensor
constexpr double kChannels = 3;
constexpr int kPageLocked = 2; // batches on their way to a GPU

bool says(const RunSpec& run, std::string_view setting, std::string_view level)
{
    return textOf(run.settings, setting) == level;
}

bool isPaced(const RunSpec& run)
{
    return says(run, "compute", "paced");
}

/// In the memory of the host.
bool castsOnHost(const RunSpec& run)
{
    return says(run, "precision", "bf16") && !says(run, "device", "cuda") && !isPaced(run);
}

/// Weights, gradients, momenta, the buckets that gradients are copied into, what paced layers give as gradients; and of
/// autocast the weights in 16 bits, which it keeps from the forward pass to the end of the backward one, and the
/// gradients as backward gives them, in 16 bits, before they are cast: freed, but kept by the allocator.
std::uint64_t parameterBytes(const RunSpec& run, const ModelFacts& model)
{
    constexpr std::size_t kBf16Bytes = 2;
    const int copies = 3 + (run.ranks() > 1) + isPaced(run);
    const std::size_t cast = castsOnHost(run) ? 2 * kBf16Bytes : 0;
    return static_cast<std::uint64_t>(model.parameters) * (static_cast<std::size_t>(copies) * sizeof(float) + cast);
}

/// A server's shard: weights, the sum of their gradients, momenta, and the message that it takes in, which is at most
/// as large (plans/servers/parameterserver.h).
std::uint64_t shardBytes(const RunSpec& run, const ModelFacts& model)
{
    constexpr int kCopies = 4;
    const int servers = run.plan.serverRanks();
    return servers > 0 ? static_cast<std::uint64_t>(kCopies * model.parameters / servers) * sizeof(float) : 0;
}

std::int64_t batchOf(const RunSpec& run)
{
    const auto global = integerOf(run.settings, "batch_global");
    return global ? *global / run.ranks() : integerOf(run.settings, "batch_per_rank").value_or(0);
}

double placesOfItem(const RunSpec& run, const ModelFacts& model)
{
    return placesOf(model, integerOf(run.settings, "image_size").value_or(kStandardImageSize),
                    integerOf(run.settings, "sequence_length").value_or(kStandardSequenceLength));
}

/// Of a batch in the host's memory: the model's, the data source's, and those on their way to a GPU.
double batchCopies(const RunSpec& run)
{
    const auto ahead = integerOf(run.settings, "prefetch").value_or(kStandardPrefetch);
    const auto source = readsFiles(run.settings) ? ahead : 1;
    return 1.0 + static_cast<double>(source) + (says(run, "device", "cuda") ? kPageLocked : 0);
}

} // namespace

std::uint64_t MemoryNeed::hostBytes() const
{
    return fixedBytes + static_cast<std::uint64_t>(batch * hostPerItem);
}

std::uint64_t MemoryNeed::hostBytes(int ranks, int servers) const
{
    return hostBytes() * static_cast<std::uint64_t>(ranks) + serverBytes * static_cast<std::uint64_t>(servers);
}

int MemoryNeed::largestBatch(std::uint64_t bytes, double perItem) const
{
    const double fits = bytes > fixedBytes ? std::floor(static_cast<double>(bytes - fixedBytes) / perItem) : 0;
    return static_cast<int>(std::min(fits, batch - 1.0));
}

int MemoryNeed::largestBatchAfterFailure(std::uint64_t bytes, double perItem) const
{
    constexpr double surelyLess = 0.8;
    return std::min(largestBatch(bytes, perItem), static_cast<int>(surelyLess * batch));
}

std::optional<MemoryNeed> memoryNeedOf(const RunSpec& run)
{
    const ModelFacts* model = modelFacts(textOf(run.settings, "model").value_or(""));
    const std::int64_t batch = batchOf(run);
    if (!model || batch < 1)
        return std::nullopt;
    const double places = placesOfItem(run, *model);
    MemoryNeed need;
    need.batch = static_cast<int>(batch);
    need.fixedBytes = kProcessBytes + parameterBytes(run, *model);
    need.activationsPerItem =
        places * model->activationBytes * (says(run, "precision", "bf16") ? model->bf16Share : 1.0);
    need.isOnGpu = says(run, "device", "cuda");
    const bool computes = !need.isOnGpu && !isPaced(run);
    constexpr double measuredCopies = 2; // are in what was measured of activations, with synthetic data
    const double copies = computes ? batchCopies(run) - measuredCopies : batchCopies(run);
    need.hostPerItem = (computes ? need.activationsPerItem : 0) + copies * places * kChannels * sizeof(float);
    need.serverBytes = kProcessBytes + shardBytes(run, *model);
    return need;
}

} // namespace ringside
