// SPDX-License-Identifier: MIT
#include "agent/worker/train/features.h"

#include "agent/rank/cores.h"
#include "agent/rank/machinefacts.h"
#include "agent/worker/collectives/communicator.h"
#include "agent/worker/cuda/pluginloader.h"
#include "agent/worker/data/batchsource.h"
#include "agent/worker/device/device.h"
#include "agent/worker/models/models.h"
#include "agent/worker/plans/aggregator.h"
#include "agent/worker/train/trainsettings.h"
#include "core/protocol/levels.h"

#include <ATen/Context.h>
#include <nlohmann/json.hpp>
#include <torch/version.h>

namespace ringside {

namespace {

nlohmann::json modelsJson()
{
    auto list = nlohmann::json::array();
    for (const auto& model : models()) {
        const auto limit = takesTokens(model) ? std::pair("longest_sequence", model.longestSequence)
                                              : std::pair("smallest_image", model.smallestImage);
        list.push_back({{"name", model.name}, {"parameters", model.parameters}, {limit.first, limit.second}});
    }
    return list;
}

nlohmann::json dataSources()
{
    auto sources = nlohmann::json::array({"synthetic"});
    if (canReadPictures())
        sources.insert(sources.end(), {"synthetic-files", "folder"});
    return sources;
}

template <class Parts> nlohmann::json namesOf(const Parts& parts)
{
    auto names = nlohmann::json::array();
    for (const auto part : parts)
        names.push_back(nameOf(part));
    return names;
}

nlohmann::json plansJson()
{
    return {{"collective", namesOf(kCollectives)},
            {"grouping", namesOf(kGroupings)},
            {"schedule", namesOf(kSchedules)},
            {"compression", namesOf(kCompressions)},
            {"updates", {"synchronous", "asynchronous"}}};
}

} // namespace

std::map<std::string, std::string> engineVersions()
{
    std::map<std::string, std::string> versions{{"torch", TORCH_VERSION}};
    if (const auto mpi = mpiVersion(); !mpi.empty())
        versions["mpi"] = mpi;
    if (canReadPictures())
        versions["jpeg"] = jpegVersion();
    if (at::Context::hasCUDA()) {
        versions["cuda"] = std::to_string(at::Context::versionCUDART());
        if (at::Context::hasCuDNN())
            versions["cudnn"] = std::to_string(at::Context::versionCuDNN());
    }
    return versions;
}

std::string featuresJson()
{
    const bool cuda = loadTorchCuda().has_value(); // before libtorch is asked what it has
    auto versions = versionFacts();
    versions.merge(engineVersions());
    std::error_code unknown;
    nlohmann::json features = {{"format", 1},
                               {"program", fs::read_symlink("/proc/self/exe", unknown).string()},
                               {"versions", versions},
                               {"mpi", !mpiVersion().empty()},
                               {"tcp", true},
                               {"jpeg", canReadPictures()},
                               {"nccl", cuda::hasPlugin()},
                               {"cuda", cuda},
                               {"cuda_graph", hasCudaGraphs()},
                               {"gpus", cuda::gpuCount().value_or(0)},
                               {"devices", std::span(kDevices).first(cuda ? 2 : 1)},
                               {"models", modelsJson()},
                               {"plans", plansJson()},
                               {"precisions", kPrecisions},
                               {"layouts", kLayouts},
                               {"data", dataSources()}};
    if constexpr (constexpr std::string_view kWhy = RINGSIDE_WITHOUT_CUDA; !kWhy.empty())
        features["without_cuda"] = kWhy;
    return features.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ringside
