// SPDX-License-Identifier: MIT
#include "agent/worker/models/model.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <numeric>

namespace ringside {

std::int64_t Model::parameterCount() const
{
    return std::accumulate(m_parameters.begin(), m_parameters.end(), std::int64_t{0},
                           [](std::int64_t sum, const Parameter& parameter) { return sum + parameter.value.numel(); });
}

Work Model::workPerImage(std::int64_t size)
{
    auto random = at::detail::getDefaultCPUGenerator(); // dropout draws from it
    const auto state = random.get_state();
    m_work = {};
    forward(at::zeros({1, kChannels, size, size}));
    random.set_state(state);
    return m_work;
}

void Model::count(const at::Tensor& output, std::int64_t products, const at::Tensor& input)
{
    const std::int64_t operations = 2 * products * output.numel();
    m_work.forward += operations;
    m_work.backward += operations * (1 + input.requires_grad());
}

void Model::toChannelsLast()
{
    for (auto& parameter : m_parameters)
        if (parameter.value.dim() == 4)
            parameter.value.set_data(parameter.value.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor Model::add(std::string name, at::Tensor initial)
{
    initial.requires_grad_(true);
    m_parameters.push_back({std::move(name), initial});
    return initial;
}

} // namespace ringside
