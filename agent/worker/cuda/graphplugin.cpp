// SPDX-License-Identifier: MIT
// ringside-worker-cudagraph.so: libtorch's CUDA graphs behind device/devicegraph.h.
#include "agent/worker/device/devicegraph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

namespace ringside {

namespace {

class CudaGraph : public DeviceGraph
{
public:
    /// Other threads may meanwhile make calls that a capture forbids, as they do for telemetry and page-locked memory.
    /// The graph has a pool of memory to itself, which cannot use the free memory of the ordinary one.
    void capture(const std::function<void()>& work) override
    {
        c10::cuda::CUDACachingAllocator::emptyCache();
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        try {
            work();
        } catch (...) {
            leaveCapture();
            throw;
        }
        m_graph.capture_end();
    }
    void replay() override { m_graph.replay(); }

private:
    /// In a thread that still captures no call succeeds, those that tidy up among them.
    void leaveCapture()
    try {
        m_graph.capture_end();
    } catch (const std::exception&) { // that nothing came of it is known
    }

    at::cuda::CUDAGraph m_graph;
};

DeviceGraph* make()
{
    return new CudaGraph;
}

} // namespace

} // namespace ringside

extern "C" {
__attribute__((visibility("default"))) extern const ringside::GraphPluginEntry ringsideGraphPlugin;
const ringside::GraphPluginEntry ringsideGraphPlugin{ringside::kGraphInterface, RINGSIDE_VERSION, &ringside::make};
}
