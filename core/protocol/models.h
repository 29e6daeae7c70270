// SPDX-License-Identifier: MIT
// The models by name: what the form, the checks and the worker have to know alike. How each is built:
// agent/worker/models.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ringside {

struct ModelFacts
{
    std::string_view name;
    std::string_view title;
    std::int64_t classes;    ///< of the published network
    std::int64_t parameters; ///< with that many classes, as published; a test compares
    int smallestImage;       ///< pixels; below it a layer has nothing left
    double
        activationBytesPerPixel; ///< fp32 memory of an iteration beyond the parameters, per pixel of the batch; roughly
};

/// In the order in which they are offered.
std::span<const ModelFacts> knownModels();
/// Null if there is none of this name.
const ModelFacts* modelFacts(std::string_view name);

} // namespace ringside
