// SPDX-License-Identifier: MIT
#include "agent/worker/models/model.h"

#include <numeric>

namespace ringside {

std::int64_t Model::parameterCount() const
{
    return std::accumulate(m_parameters.begin(), m_parameters.end(), std::int64_t{0},
                           [](std::int64_t sum, const Parameter& parameter) { return sum + parameter.value.numel(); });
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
