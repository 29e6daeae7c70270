// SPDX-License-Identifier: MIT
#include "agent/worker/train/engine.h"

#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/data/random.h"
#include "agent/worker/device/device.h"
#include "agent/worker/train/cachingallocator.h"
#include "core/base/controlgroup.h"
#include "core/base/text.h"
#include "core/protocol/memoryneed.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <limits>
#include <malloc.h>
#include <new>
#include <sys/resource.h>

namespace ringside {

namespace {

/// By settings that were checked.
MemoryNeed needOf(const TrainSettings& settings)
{
    return memoryNeedOf(settings.run).value_or(MemoryNeed{});
}

/// The host's memory. Estimated for the model; more if this process is known to have used more.
double bytesPerItem(const MemoryNeed& need, std::uint64_t usedBytes)
{
    const double used = usedBytes > need.fixedBytes ? static_cast<double>(usedBytes - need.fixedBytes) : 0;
    return std::max(used / need.batch, need.hostPerItem);
}

std::string_view sizeText(const TrainSettings& settings)
{
    return settings.isOfTokens() ? "sequence length" : "image size";
}

/// The hint about a batch that needs more than the rank can have, when this is the largest that does not.
std::string smallerBatch(const TrainSettings& settings, int largest, double perItem)
{
    const auto item = itemOf(settings.model->name);
    if (largest < 1)
        return fmt::format("By an estimate not even one {} per rank fits: lower the {} or the number of ranks on a "
                           "node.",
                           item, sizeText(settings));
    return fmt::format("The largest batch per rank that fits is about {}, by an estimate of {} {} {}.", largest,
                       humanBytes(static_cast<std::uint64_t>(perItem)), settings.isOfTokens() ? "a" : "an", item);
}

std::string batchText(const TrainSettings& settings)
{
    return fmt::format("{} with a batch of {} per rank and {}", settings.model->name, settings.batch,
                       itemsText(settings));
}

/// The memory that so many processes on this host can have together: the free one, and theirs, which is about as much
/// as this one's, for none has made its model yet.
std::uint64_t memoryForAll(int processes)
{
    const auto free = availableMemory();
    const auto held = ownMemory() * static_cast<std::uint64_t>(processes);
    return free + std::min(held, std::numeric_limits<std::uint64_t>::max() - free);
}

/// The most that this process had resident so far.
std::uint64_t peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Returns the memory of the rank's GPU in all; 0: unknown.
std::uint64_t gpuBytes(const TrainSettings& settings)
{
    return settings.device.is_cuda() ? cuda::gpuMemoryBytes(settings.device.index()) : 0;
}

/// Messages of libtorch, CUDA, and cuBLAS and cuDNN where it is no type of its own.
constexpr std::string_view kOutOfMemoryWords[] = {"can't allocate memory", "out of memory", "ALLOC_FAILED"};

/// Their messages about a GPU that has failed, or a kernel on it.
constexpr std::string_view kGpuWords[] = {"CUDA error",   "CUDA driver error", "cuDNN",
                                          "CUDNN_STATUS", "CUBLAS_STATUS",     "CUFFT"};

template <class Words> bool contains(std::string_view text, const Words& words)
{
    return std::ranges::any_of(words, [text](auto word) { return text.find(word) != text.npos; });
}

bool tellsOutOfMemory(std::string_view what)
{
    return contains(what, kOutOfMemoryWords) || what.find("std::bad_alloc") != what.npos;
}

bool tellsOutOfMemory(const std::exception& error)
{
    return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
           tellsOutOfMemory(error.what());
}

constexpr const char* kLookAtGpu =
    "The kernel's log (dmesg) and nvidia-smi say more about a failing GPU; ringside-worker selftest tests it.";

/// For a rank whose GPU has so much; 0: unknown.
std::string smallerBatchOnGpu(const TrainSettings& settings, std::uint64_t bytes)
{
    if (bytes == 0)
        return fmt::format("Lower the batch or the {}.", sizeText(settings));
    const MemoryNeed need = needOf(settings);
    return smallerBatch(settings, need.largestBatchAfterFailure(bytes, need.activationsPerItem),
                        need.activationsPerItem);
}

std::string firstLine(std::string_view text)
{
    return plainText(text.substr(0, text.find('\n')));
}

/// Leaves freed memory in the process. glibc returns large blocks to the kernel at every free, so each iteration would
/// fault in (and the kernel zero) the same pages again. Before the first large allocation.
void keepFreedMemory()
{
    mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 64 << 20);
}

} // namespace

void startEngine(const TrainSettings& settings, const std::vector<int>& cores)
{
    keepFreedMemory();
    CachingAllocator::install();
    at::set_num_threads(static_cast<int>(cores.size()));
    static_cast<void>(at::get_num_threads()); // or this thread would take, at its first operation, what another one set
    at::globalContext().setFlushDenormal(true); // threads started later inherit it
    at::manual_seed(settings.seed);
    if (isOnGpu(settings))
        setMath(settings.math);
}

void separateRandomNumbers(std::uint64_t seed, int rank)
{
    if (rank > 0)
        at::manual_seed(randomBits(seed, static_cast<std::uint64_t>(rank)));
}

Result<void> checkMemory(const TrainSettings& settings, int ranksOnHost, int serversOnHost)
{
    const MemoryNeed need = needOf(settings);
    const auto needed = need.hostBytes(ranksOnHost, serversOnHost);
    const auto free = memoryForAll(ranksOnHost + serversOnHost);
    if (needed <= free)
        return {};
    const std::string what =
        fmt::format("{} is refused: it needs about {} on this host", batchText(settings), humanBytes(needed));
    const auto served = need.serverBytes * static_cast<std::uint64_t>(serversOnHost);
    const std::string servers = served > 0 ? fmt::format(", {} of that for servers", humanBytes(served)) : "";
    const std::string found = fmt::format("{}{}, and {} are free.", what, servers, humanBytes(free));
    if (ranksOnHost == 0)
        return fail(ErrorCode::unavailable, found, "Use more servers, or fewer of them on a node.");
    const auto share = (free - std::min(served, free)) / static_cast<std::uint64_t>(ranksOnHost);
    return fail(ErrorCode::unavailable, found,
                smallerBatch(settings, need.largestBatch(share, need.hostPerItem), need.hostPerItem));
}

Result<void> shareWeights(Model& model, Communicator& communicator)
{
    for (const auto& parameter : model.parameters()) {
        auto* bytes = static_cast<std::byte*>(parameter.value.data_ptr());
        TRY(communicator.broadcast({bytes, parameter.value.nbytes()}, 0));
    }
    return {};
}

Failure failureOf(const std::exception& error)
{
    if (tellsOutOfMemory(error))
        return {exitcode::kOutOfMemory,
                {ErrorCode::unavailable, "Memory is used up: " + firstLine(error.what()),
                 "Lower the batch, the size of its items or the number of ranks."}};
    const std::string what = firstLine(error.what());
    if (contains(what, kGpuWords))
        return {exitcode::kEngineFailed, {ErrorCode::internal, "The GPU failed: " + what, kLookAtGpu}};
    return {exitcode::kEngineFailed, {ErrorCode::internal, "The engine failed: " + what, {}}};
}

namespace {

Failure outOfMemory(std::string_view said, const TrainSettings& settings)
{
    Failure failure{exitcode::kOutOfMemory, {ErrorCode::unavailable, {}, {}}};
    const std::string what = batchText(settings);
    const std::string why = fmt::format(" In libtorch's words: {}", firstLine(said)); // long: after what to do
    if (isOnGpu(settings)) {
        const auto bytes = gpuBytes(settings);
        const std::string size = bytes > 0 ? fmt::format(" ({})", humanBytes(bytes)) : "";
        failure.error.message = fmt::format("{} ran out of its GPU's memory{}.", what, size);
        failure.error.hint = smallerBatchOnGpu(settings, bytes) + why;
        return failure;
    }
    const auto peak = peakBytes();
    failure.error.message = fmt::format("{} ran out of memory at {}.", what, humanBytes(peak));
    const MemoryNeed need = needOf(settings);
    const double perItem = bytesPerItem(need, peak);
    failure.error.hint = smallerBatch(settings, need.largestBatchAfterFailure(peak, perItem), perItem) + why;
    return failure;
}

} // namespace

Failure failureOf(const std::exception& error, const TrainSettings& settings)
{
    return tellsOutOfMemory(error) ? outOfMemory(error.what(), settings) : failureOf(error);
}

Failure named(Failure failure, const TrainSettings& settings)
{
    if (failure.exitCode != exitcode::kEngineFailed)
        return failure;
    if (tellsOutOfMemory(failure.error.message))
        return outOfMemory(failure.error.message, settings);
    if (contains(failure.error.message, kGpuWords))
        failure.error.hint = kLookAtGpu;
    return failure;
}

} // namespace ringside
