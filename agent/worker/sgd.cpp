// SPDX-License-Identifier: MIT
#include "agent/worker/sgd.h"

#include <ATen/ATen.h>

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
}

void Sgd::step()
{
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_weights.size(); ++i)
        m_gradients[i] = m_weights[i].grad();
    at::_fused_sgd_(m_weights, m_gradients, m_momenta, m_settings.weightDecay, m_settings.momentum,
                    m_settings.learningRate, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false, m_first);
    for (auto& gradient : m_gradients)
        gradient.reset(); // else the next backward could not hand its own tensors over
    m_first = false;
}

} // namespace ringside
