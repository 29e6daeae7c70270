// SPDX-License-Identifier: MIT
#include "core/spec/models.h"

#include <algorithm>
#include <iterator>

namespace ringside::spec {

namespace {

// Activations: outputs of convolutions, normalisations and pools, summed over the layers of the published networks.
// Smallest image: AlexNet's 11×11 (stride 4, padding 2) and three 3×3 pools with stride 2; LeNet's two 5×5 and two 2×2.
constexpr ModelFacts kModels[] = {
    {"alexnet", 61'100'840, 1'000'000, 224, 63},
    {"resnet50", 25'557'032, 22'000'000, 224, 32},
    {"lenet", 61'706, 8'000, 32, 16},
};

} // namespace

const ModelFacts* modelFacts(std::string_view model)
{
    const auto* found =
        std::find_if(std::begin(kModels), std::end(kModels), [&](const auto& m) { return m.model == model; });
    return found == std::end(kModels) ? nullptr : found;
}

} // namespace ringside::spec
