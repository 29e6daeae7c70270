// SPDX-License-Identifier: MIT
// What validation has to know of a model before it runs. Internal to core/spec.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside::spec {

struct ModelFacts
{
    std::string_view model;
    std::uint64_t parameters;       ///< published counts
    double activationBytesPerPixel; ///< fp32 memory of an iteration beyond the parameters, per pixel of the batch
    int smallestImage;              ///< pixels; below it a layer has nothing left
};

/// nullptr for a model that is not known here.
const ModelFacts* modelFacts(std::string_view model);

} // namespace ringside::spec
