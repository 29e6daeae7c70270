// SPDX-License-Identifier: MIT
// Parts common to networks on tokens.
#pragma once

#include "agent/worker/models/layers.h"

namespace ringside {

/// A learnt row of numbers for each word, or for each position.
class Embedding
{
public:
    Embedding(Model& model, const std::string& name, std::int64_t rows, std::int64_t width, Initial initial);
    /// … × width, for row numbers of any sizes.
    at::Tensor operator()(const at::Tensor& rows) const;

    /// Rows × width. A network may use it as the weight of its output as well ("tied").
    const at::Tensor& weight() const { return m_weight; }

private:
    Model* m_model;
    std::size_t m_layer;
    at::Tensor m_weight;
};

/// A sequence of this length whose tokens are all word 0.
at::Tensor exampleSequence(std::int64_t length);

} // namespace ringside
