// SPDX-License-Identifier: MIT
// Work of a GPU that is enqueued once and then repeated as a whole: a CUDA graph. It spares the host the launch of each
// kernel, which is most of the time of an iteration where batches are small.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <functional>
#include <memory>

namespace ringside {

/// Compute thread only. Errors of libtorch are exceptions.
class DeviceGraph
{
public:
    virtual ~DeviceGraph() = default;

    /// Records what `work` enqueues on the current stream, which is not the default one; none of it is executed.
    /// Recorded tensors, read or made, must stay in place and alive. It must wait for nothing. Once.
    virtual void capture(const std::function<void()>& work) = 0;
    /// Enqueues all of it on the current stream.
    virtual void replay() = 0;
};

/// The interface between ringside-worker-cudagraph.so and the worker. It is a file of its own, beside the program, as
/// it needs libtorch's part for CUDA, which is loaded only where a run asks for a GPU.
struct GraphPluginEntry
{
    int interface;
    const char* version; ///< of Ringside
    DeviceGraph* (*make)();
};
/// Raised with every change of what is in this file.
inline constexpr int kGraphInterface = 1;
/// The one symbol of the plug-in.
inline constexpr const char* kGraphEntryName = "ringsideGraphPlugin";

/// True if this worker was built with the plug-in, also where there is no GPU.
bool hasCudaGraphs();

/// Once the device was opened (device.h). Fails with notFound where the worker was built without the plug-in, and with
/// unavailable where that cannot be loaded or belongs to another worker.
Result<std::unique_ptr<DeviceGraph>> makeCudaGraph();
/// The same of the plug-in in this file.
Result<std::unique_ptr<DeviceGraph>> loadCudaGraph(const fs::path& file);

} // namespace ringside
