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

std::uint64_t numbersOf(const ModelFacts& model)
{
    return static_cast<std::uint64_t>(model.parameters);
}

/// Numbers of the largest message, as far as the plan says: a tensor alone may be larger.
std::uint64_t messageNumbers(const AggregationPlan& plan, std::uint64_t all)
{
    if (plan.isLayerwise())
        return std::min(all, plan.chunkBytes / sizeof(float));
    switch (plan.grouping) {
    case Grouping::buckets:
        return std::min(all, plan.bucketCapBytes / sizeof(float));
    case Grouping::fusion:
        return std::min(all, plan.fusionThresholdBytes / sizeof(float));
    case Grouping::equalBuckets:
        return all / static_cast<std::uint64_t>(std::max(1, plan.bucketCount));
    default:
        return all;
    }
}

/// Bytes of the codes of so many gradients.
std::uint64_t codeBytes(const AggregationPlan& plan, std::uint64_t numbers)
{
    constexpr int kByte = 8;
    const int bits = wordsOf(plan.compression).bits;
    if (plan.compression == Compression::topk)
        return static_cast<std::uint64_t>(static_cast<double>(numbers) * plan.topkPpm / 1e6 * bits / kByte);
    return numbers * static_cast<std::uint64_t>(bits) / kByte;
}

std::uint64_t lossBytes(const AggregationPlan& plan, std::uint64_t numbers)
{
    return wordsOf(plan.compression).keepsLosses ? numbers * sizeof(float) : 0;
}

/// The codes of one message, and what all gradients lose by them; codes that go to servers are all retained until the
/// next.
std::uint64_t compressionBytes(const AggregationPlan& plan, std::uint64_t all, int ranks)
{
    if (!plan.isLossy())
        return 0;
    if (plan.serverRanks() > 0)
        return lossBytes(plan, all) + codeBytes(plan, all);
    const std::uint64_t message = messageNumbers(plan, all), world = static_cast<std::uint64_t>(ranks);
    switch (wordsOf(plan.compression).sum) {
    case CodeSum::onTheWay:
        break;
    case CodeSum::byParts: // out, and in; the sum of this rank's part loses something, too
        return lossBytes(plan, all + all / world) + codeBytes(plan, 2 * message);
    case CodeSum::gathered: // its own, and all ranks'
        return lossBytes(plan, all) + (1 + world) * codeBytes(plan, message);
    }
    return lossBytes(plan, all) + codeBytes(plan, message);
}

/// Buffers that gradients are copied into on their way: a fusion buffer, or buckets, unless each tensor goes alone; and
/// what compressing them needs.
std::uint64_t exchangeBytes(const RunSpec& run, const ModelFacts& model)
{
    if (run.ranks() == 1)
        return 0;
    const AggregationPlan& plan = run.plan;
    const std::uint64_t all = numbersOf(model);
    const bool isFused = plan.groupsUnderway(), isAlone = plan.grouping == Grouping::perTensor;
    const std::uint64_t copied = isFused ? messageNumbers(plan, all) : isAlone ? 0 : all;
    return copied * sizeof(float) + compressionBytes(plan, all, run.ranks());
}

/// Weights, gradients, momenta where no servers have them, what paced layers return as gradients; and of autocast the
/// weights in 16 bits, which it holds from the forward pass to the end of the backward one, and the gradients as
/// backward makes them, in 16 bits, before they are cast: freed, but retained by the allocator.
std::uint64_t parameterBytes(const RunSpec& run, const ModelFacts& model)
{
    constexpr std::size_t kBf16Bytes = 2;
    const int copies = 2 + (run.plan.serverRanks() == 0) + isPaced(run);
    const std::size_t cast = castsOnHost(run) ? 2 * kBf16Bytes : 0;
    return numbersOf(model) * (static_cast<std::size_t>(copies) * sizeof(float) + cast);
}

/// True if messages may go by our own TCP, which receives a push as soon as it comes. Backend `auto` takes it between
/// hosts without a faster network (collectives/fastertransport.h). Of backend `launcher` a run does not say what it is.
bool mayGoByTcp(const RunSpec& run)
{
    return says(run, "backend", "auto") && run.nodes() > 1;
}

/// A server's shard: weights, the sum of their gradients, momenta, and the message that it reads, which is at most
/// as large (plans/servers/parameterserver.h). By TCP one push of each rank may wait beside it, its part of a message
/// (plans/servers/shards.h: a small one is not cut, which adds little).
std::uint64_t shardBytes(const RunSpec& run, const ModelFacts& model)
{
    constexpr int kCopies = 4;
    const std::uint64_t all = numbersOf(model), servers = static_cast<std::uint64_t>(run.plan.serverRanks());
    if (servers == 0)
        return 0;
    const std::uint64_t push = codeBytes(run.plan, messageNumbers(run.plan, all) / servers);
    const std::uint64_t waiting = mayGoByTcp(run) ? static_cast<std::uint64_t>(run.ranks()) * push : 0;
    return kCopies * all / servers * sizeof(float) + waiting;
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

/// Copies of a batch in the host's memory: the model's, the data source's, and those on their way to a GPU.
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
    need.fixedBytes = kProcessBytes + parameterBytes(run, *model) + exchangeBytes(run, *model);
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
