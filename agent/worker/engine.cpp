// SPDX-License-Identifier: MIT
#include "agent/worker/engine.h"

#include "agent/worker/cachingallocator.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/device/device.h"
#include "agent/worker/runtime/memory.h"
#include "core/base/text.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <cmath>
#include <new>
#include <sys/resource.h>

namespace ringside {

namespace {

constexpr std::uint64_t kProcessBytes = 400u << 20; // libtorch's code and pools before any tensor

/// Weights, gradients, momenta, the buckets that gradients are copied into, and what paced layers give as gradients.
std::uint64_t parameterBytes(const TrainSettings& settings)
{
    const std::uint64_t copies = 3 + (settings.run.ranks() > 1) + settings.pacedLayer.has_value();
    return copies * static_cast<std::uint64_t>(settings.model->parameters) * sizeof(float);
}

double placesOf(const TrainSettings& settings)
{
    return settings.batch * placesOf(*settings.model, settings.imageSize, settings.sequenceLength);
}

/// Wherever the model is.
std::uint64_t activationBytes(const TrainSettings& settings)
{
    const auto share = settings.precision == Precision::bf16 ? 0.6 : 1.0;
    return static_cast<std::uint64_t>(placesOf(settings) * settings.model->activationBytes * share);
}

/// In the host's memory: where it computes nothing, the batch itself.
std::uint64_t hostBytesOfBatch(const TrainSettings& settings)
{
    const bool computes = !settings.pacedLayer && !isOnGpu(settings);
    return computes ? activationBytes(settings) : static_cast<std::uint64_t>(placesOf(settings) * 3 * sizeof(float));
}

std::uint64_t fixedBytes(const TrainSettings& settings)
{
    return kProcessBytes + parameterBytes(settings);
}

/// Of the host. Estimated for the model; more if this process is known to have used more.
double bytesPerItem(const TrainSettings& settings, std::uint64_t usedBytes = 0)
{
    const auto fixed = fixedBytes(settings);
    const double used = usedBytes > fixed ? static_cast<double>(usedBytes - fixed) : 0;
    return std::max(used, static_cast<double>(hostBytesOfBatch(settings))) / settings.batch;
}

std::string_view sizeText(const TrainSettings& settings)
{
    return settings.isOfTokens() ? "sequence length" : "image size";
}

/// What to do about a batch that needs more than the rank can have.
std::string smallerBatch(const TrainSettings& settings, std::uint64_t bytes, double perItem)
{
    const auto fixed = fixedBytes(settings);
    const double fits = bytes > fixed ? std::floor(static_cast<double>(bytes - fixed) / perItem) : 0;
    const int largest = static_cast<int>(std::min(fits, settings.batch - 1.0));
    const auto item = itemOf(settings.model->name);
    if (largest < 1)
        return fmt::format("By an estimate not even one {} per rank fits: lower the {} or the number of ranks on a "
                           "node.",
                           item, sizeText(settings));
    return fmt::format("The largest batch per rank that fits is about {}, by an estimate of {} {} {}.", largest,
                       humanBytes(static_cast<std::uint64_t>(perItem)), settings.isOfTokens() ? "a" : "an", item);
}

/// The most that this process had resident so far.
std::uint64_t peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// That the rank's GPU has in all; 0: unknown.
std::uint64_t gpuBytes(const TrainSettings& settings)
{
    return settings.device.is_cuda() ? cuda::gpuMemoryBytes(settings.device.index()) : 0;
}

/// What libtorch, CUDA, and cuBLAS and cuDNN say where it is no type of its own.
constexpr std::string_view kOutOfMemoryWords[] = {"can't allocate memory", "out of memory", "ALLOC_FAILED"};

bool tellsOutOfMemory(const std::exception& error)
{
    const std::string_view what = error.what();
    return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
           std::ranges::any_of(kOutOfMemoryWords, [what](auto words) { return what.find(words) != what.npos; });
}

/// Of a rank whose GPU has so much; 0: unknown.
std::string smallerBatchOnGpu(const TrainSettings& settings, std::uint64_t bytes)
{
    if (bytes == 0)
        return fmt::format("Lower the batch or the {}.", sizeText(settings));
    return smallerBatch(settings, bytes, static_cast<double>(activationBytes(settings)) / settings.batch);
}

std::string firstLine(std::string_view text)
{
    return plainText(text.substr(0, text.find('\n')));
}

} // namespace

void startEngine(const TrainSettings& settings, const std::vector<int>& cores)
{
    keepFreedMemory();
    CachingAllocator::install();
    at::set_num_threads(static_cast<int>(cores.size()));
    at::globalContext().setFlushDenormal(true); // threads started later inherit it
    at::manual_seed(settings.run.seed);
    if (isOnGpu(settings))
        setMath(settings);
}

std::uint64_t estimatedMemoryBytes(const TrainSettings& settings)
{
    return fixedBytes(settings) + hostBytesOfBatch(settings);
}

Result<void> checkMemory(const TrainSettings& settings, int ranksOnHost)
{
    const auto needed = estimatedMemoryBytes(settings) * static_cast<std::uint64_t>(ranksOnHost);
    const auto available = availableMemoryBytes();
    if (needed <= available)
        return {};
    return fail(ErrorCode::unavailable,
                fmt::format("{} with a batch of {} per rank and {} needs about {} on this host; {} are free.",
                            settings.model->name, settings.batch, itemsText(settings), humanBytes(needed),
                            humanBytes(available)),
                smallerBatch(settings, available / static_cast<std::uint64_t>(ranksOnHost), bytesPerItem(settings)));
}

void completeDataSettings(TrainSettings& settings, const Communicator& communicator, const Delay& decodeDelay)
{
    settings.data.rank = communicator.rank();
    settings.data.worldSize = communicator.worldSize();
    settings.data.delayHook = decodeDelay;
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
    return {exitcode::kSettings, {ErrorCode::internal, "The engine failed: " + firstLine(error.what()), {}}};
}

Failure failureOf(const std::exception& error, const TrainSettings& settings)
{
    Failure failure = failureOf(error);
    if (failure.exitCode != exitcode::kOutOfMemory)
        return failure;
    const std::string what =
        fmt::format("{} with a batch of {} per rank and {}", settings.model->name, settings.batch, itemsText(settings));
    const std::string why = firstLine(error.what());
    if (isOnGpu(settings)) {
        const auto bytes = gpuBytes(settings);
        const std::string size = bytes > 0 ? fmt::format(" ({})", humanBytes(bytes)) : "";
        failure.error.message = fmt::format("{} ran out of its GPU's memory{}: {}.", what, size, why);
        failure.error.hint = smallerBatchOnGpu(settings, bytes);
        return failure;
    }
    const auto peak = peakBytes();
    failure.error.message = fmt::format("{} ran out of memory at {}: {}.", what, humanBytes(peak), why);
    failure.error.hint = smallerBatch(settings, peak, bytesPerItem(settings, peak));
    return failure;
}

} // namespace ringside
