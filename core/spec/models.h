// SPDX-License-Identifier: MIT
// What validation has to know of a model before it runs. Internal to core/spec.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside::spec {

struct ModelFacts
{
    std::string_view model;
    std::uint64_t parameters;          ///< published counts
    std::uint64_t activationsPerImage; ///< numbers kept for the backward pass at `imageSize`
    int imageSize;
    int smallestImage; ///< below it a layer has no pixel left
};

/// nullptr for a model that is not known here.
const ModelFacts* modelFacts(std::string_view model);

} // namespace ringside::spec
