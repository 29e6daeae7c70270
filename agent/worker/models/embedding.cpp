// SPDX-License-Identifier: MIT
#include "agent/worker/models/embedding.h"

#include <ATen/ATen.h>

namespace ringside {

Embedding::Embedding(Model& model, const std::string& name, std::int64_t rows, std::int64_t width, Initial initial)
    : m_model(&model)
    , m_layer(model.beginLayer(name))
    , m_weight(model.add(name + ".weight", initial({rows, width}, {width, rows})))
{
}

at::Tensor Embedding::operator()(const at::Tensor& rows) const
{
    m_model->enter(m_layer);
    auto y = at::embedding(m_weight, rows);
    m_model->leave(m_layer, y, y);
    return y;
}

at::Tensor exampleSequence(std::int64_t length)
{
    return at::zeros({1, length}, at::kLong);
}

} // namespace ringside
