// SPDX-License-Identifier: MIT
// GPT-2 of any size.
#pragma once

#include "agent/worker/models/model.h"

#include <memory>

namespace ringside {

/// By default, that of the smallest published one.
struct Gpt2Shape
{
    std::int64_t vocabulary = 50'257;
    std::int64_t positions = 1024; ///< the longest sequence
    std::int64_t width = 768;      ///< a multiple of the heads
    std::int64_t heads = 12;
    std::int64_t blocks = 12;
};

std::unique_ptr<Model> makeGpt2(const Gpt2Shape& shape);

} // namespace ringside
