// SPDX-License-Identifier: MIT
// A language model of LSTM layers of any size.
#pragma once

#include "agent/worker/models/model.h"

#include <memory>

namespace ringside {

/// The "medium" one of Zaremba et al., unless noted otherwise.
struct LstmShape
{
    std::int64_t vocabulary = 10'000;
    std::int64_t width = 650; ///< of the embedding and of every layer
    std::int64_t layers = 2;
    double dropout = 0.5;
};

std::unique_ptr<Model> makeLstm(const LstmShape& shape);

} // namespace ringside
