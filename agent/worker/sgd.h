// SPDX-License-Identifier: MIT
// Stochastic gradient descent with momentum and weight decay, by libtorch's fused kernel: one pass over weight,
// gradient and momentum. The rule is torch.optim.SGD's (v ← μv + g + λw, w ← w - ηv; at the first step v = g + λw).
#pragma once

#include "agent/worker/models/model.h"
#include "agent/worker/trainsettings.h"

namespace ringside {

/// Compute thread only.
class Sgd
{
public:
    Sgd(const std::vector<Parameter>& parameters, const OptimizerSettings& settings);

    /// Every parameter has a gradient.
    void step();

private:
    OptimizerSettings m_settings;
    std::vector<at::Tensor> m_weights;
    std::vector<at::Tensor> m_gradients;
    std::vector<at::Tensor> m_momenta; ///< empty without momentum
    bool m_first = true;
};

} // namespace ringside
