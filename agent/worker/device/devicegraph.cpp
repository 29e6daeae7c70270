// SPDX-License-Identifier: MIT
#include "agent/worker/device/devicegraph.h"

#include "agent/worker/runtime/pluginentry.h"
#include "core/protocol/layout.h"

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
    TRY_ASSIGN(const auto* entry,
               loadPluginEntry<GraphPluginEntry>(file, kGraphEntryName, kGraphInterface, "CUDA graphs", kHint));
    return std::unique_ptr<DeviceGraph>(entry->make());
}

} // namespace ringside
