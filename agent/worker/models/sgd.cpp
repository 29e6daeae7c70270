// SPDX-License-Identifier: MIT
#include "agent/worker/models/sgd.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace ringside {

Sgd::Sgd(const std::vector<Parameter>& parameters, const OptimizerSettings& settings)
    : m_settings(settings)
{
    for (const auto& parameter : parameters) {
        m_weights.push_back(parameter.value);
        if (settings.momentum > 0)
            m_momenta.push_back(at::zeros_like(parameter.value.detach()));
    }
    m_gradients.resize(m_weights.size());
    m_hasStepped.resize(m_weights.size());
}

void Sgd::step(const Layer& layer)
{
    if (layer.parameters == 0)
        return;
    const at::NoGradGuard noGrad;
    const auto of = [&](std::vector<at::Tensor>& all) {
        return all.empty() ? at::TensorList() : at::TensorList(all).slice(layer.firstParameter, layer.parameters);
    };
    const std::size_t end = layer.firstParameter + layer.parameters;
    for (std::size_t i = layer.firstParameter; i < end; ++i)
        m_gradients[i] = m_weights[i].grad();
    at::_fused_sgd_(of(m_weights), of(m_gradients), of(m_momenta), m_settings.weightDecay, m_settings.momentum,
                    m_settings.learningRate, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                    !m_hasStepped[layer.firstParameter]);
    for (std::size_t i = layer.firstParameter; i < end; ++i) {
        m_gradients[i].reset(); // else the next backward could not hand its own tensors over
        m_hasStepped[i] = true;
    }
}

} // namespace ringside
