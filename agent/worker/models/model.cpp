// SPDX-License-Identifier: MIT
#include "agent/worker/models/model.h"

#include <ATen/ATen.h>
#include <numeric>

namespace ringside {

std::int64_t Model::parameterCount() const
{
    return std::accumulate(m_parameters.begin(), m_parameters.end(), std::int64_t{0},
                           [](std::int64_t sum, const Parameter& parameter) { return sum + parameter.value.numel(); });
}

std::int64_t Model::gradientBytes(const Layer& layer) const
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < layer.parameters; ++i)
        bytes += static_cast<std::int64_t>(m_parameters[layer.firstParameter + i].value.nbytes());
    return bytes;
}

at::Tensor Model::example(std::int64_t size) const
{
    return at::zeros({1, kChannels, size, size});
}

Work Model::workPerItem(std::int64_t size)
{
    auto random = at::globalContext().defaultGenerator(device()); // dropout draws from it
    const auto state = random.get_state();
    m_work = {};
    forward(example(size).to(device()));
    random.set_state(state);
    return m_work;
}

void Model::count(const at::Tensor& output, std::int64_t products, const at::Tensor& input)
{
    count(output.numel(), products, 1 + input.requires_grad());
}

void Model::count(std::int64_t sums, std::int64_t products, int gradients)
{
    const std::int64_t operations = 2 * products * sums;
    m_work.forward += operations;
    m_work.backward += operations * gradients;
}

/// Layers share these tensors, so their memory is replaced, not they.
void Model::moveTo(c10::Device device)
{
    for (auto& parameter : m_parameters)
        parameter.value.set_data(parameter.value.detach().to(device));
    for (auto& state : m_kept)
        state.set_data(state.to(device));
    settle();
}

c10::Device Model::device() const
{
    return m_parameters.front().value.device();
}

void Model::toChannelsLast()
{
    for (auto& parameter : m_parameters)
        if (parameter.value.dim() == 4)
            parameter.value.set_data(parameter.value.contiguous(at::MemoryFormat::ChannelsLast));
}

std::size_t Model::beginLayer(std::string name)
{
    m_layers.push_back({std::move(name), m_parameters.size(), 0});
    return m_layers.size() - 1;
}

at::Tensor Model::keep(at::Tensor state)
{
    m_kept.push_back(state);
    return state;
}

at::Tensor Model::add(std::string name, at::Tensor initial)
{
    initial.requires_grad_(true);
    m_parameters.push_back({std::move(name), initial});
    if (!m_layers.empty())
        ++m_layers.back().parameters;
    return initial;
}

} // namespace ringside
