// SPDX-License-Identifier: MIT
// Stochastic gradient descent with momentum and weight decay, by libtorch's fused kernel: one pass over weight,
// gradient and momentum. The rule is torch.optim.SGD's (v ← μv + g + λw, w ← w - ηv; at the first step v = g + λw).
#pragma once

#include "agent/worker/models/model.h"

namespace ringside {

struct OptimizerSettings
{
    double learningRate = 0.01;
    double momentum = 0.9;
    double weightDecay = 0;
};

/// Compute thread only.
class Sgd
{
public:
    Sgd(const std::vector<Parameter>& parameters, const OptimizerSettings& settings);
    virtual ~Sgd() = default;

    Layer all() const { return {"", 0, m_weights.size()}; }
    /// Every parameter has a gradient.
    void step() { step(all()); }
    /// Steps the parameters of one layer, which have gradients.
    virtual void step(const Layer& layer);

private:
    OptimizerSettings m_settings;
    std::vector<at::Tensor> m_weights;
    std::vector<at::Tensor> m_gradients;
    std::vector<at::Tensor> m_momenta; ///< empty without momentum
    std::vector<bool> m_hasStepped;    ///< by parameter; those that step together have done so from the first
};

} // namespace ringside
