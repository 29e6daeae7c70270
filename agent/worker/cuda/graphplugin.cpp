// SPDX-License-Identifier: MIT
// ringside-worker-cudagraph.so: libtorch's CUDA graphs behind device/devicegraph.h.
#include "agent/worker/device/devicegraph.h"

#include <ATen/cuda/CUDAGraph.h>

namespace ringside {

namespace {

class CudaGraph : public DeviceGraph
{
public:
    /// Other threads may meanwhile call what a capture forbids, as they do for telemetry and page-locked memory.
    void capture(const std::function<void()>& work) override
    {
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        work();
        m_graph.capture_end();
    }
    void replay() override { m_graph.replay(); }

private:
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
