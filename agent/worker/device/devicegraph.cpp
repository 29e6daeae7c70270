// SPDX-License-Identifier: MIT
#include "agent/worker/device/devicegraph.h"

#include "core/protocol/layout.h"

#include <dlfcn.h>

namespace ringside {

namespace {

constexpr const char* kHint = "Set cuda_graph to off, or build the worker where the headers of CUDA are.";

fs::path pluginFile()
{
    return layout::workerGraphPlugin(programFolder().value_or(fs::path()));
}

} // namespace

bool hasCudaGraphs()
{
    std::error_code none;
    return fs::exists(pluginFile(), none);
}

Result<std::unique_ptr<DeviceGraph>> makeCudaGraph()
{
    return loadCudaGraph(pluginFile());
}

Result<std::unique_ptr<DeviceGraph>> loadCudaGraph(const fs::path& file)
{
    std::error_code none;
    if (!fs::exists(file, none))
        return fail(ErrorCode::notFound,
                    fmt::format("This ringside-worker was built without CUDA graphs: there is no {}.", file.string()),
                    kHint);
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(ErrorCode::unavailable, fmt::format("CUDA graphs cannot be loaded: {}.", dlerror()), kHint);
    const auto* entry = static_cast<const GraphPluginEntry*>(dlsym(library, kGraphEntryName));
    if (!entry || entry->interface != kGraphInterface || std::string_view(entry->version) != RINGSIDE_VERSION)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} does not belong to this ringside-worker ({}).", file.string(), RINGSIDE_VERSION),
                    "Build both from the same source.");
    return std::unique_ptr<DeviceGraph>(entry->make());
}

} // namespace ringside
