// SPDX-License-Identifier: MIT
// Forward and backward of a batch as one graph of the device.
#pragma once

#include "agent/worker/device/devicegraph.h"
#include "agent/worker/models/classifier.h"

#include <functional>
#include <vector>

namespace ringside {

/// Compute thread only; stores a reference to the classifier, whose batches stay in place from here on.
class GraphedPasses
{
public:
    /// Passes the first batch, of zeros, some times as it is, in which libraries choose their algorithms, and records
    /// the last pass. Waits for the device.
    GraphedPasses(Classifier& classifier, std::unique_ptr<DeviceGraph> graph);

    /// Enqueues both passes of the batch that was loaded last; its loss. Then all gradients, those of scale · loss, are
    /// in `.grad`, and `ready` is called with each parameter's index, the last one first.
    const at::Tensor& run(float scale, const std::function<void(std::size_t)>& ready);

private:
    void pass();

    Classifier& m_classifier;
    std::unique_ptr<DeviceGraph> m_graph;
    at::Tensor m_loss;
    std::vector<at::Tensor> m_gradients; ///< by parameter
};

} // namespace ringside
