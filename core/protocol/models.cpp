// SPDX-License-Identifier: MIT
#include "core/protocol/models.h"

#include <algorithm>

namespace ringside {

namespace {

// Parameter counts: torchvision 0.20 for AlexNet and ResNet-50; PyTorch's CIFAR-10 tutorial for LeNet on three
// channels.
constexpr ModelFacts kModels[] = {
    {"alexnet", "AlexNet", 1000, 61'100'840, 63, 100},
    {"resnet50", "ResNet-50", 1000, 25'557'032, 32, 2000},
    {"lenet", "LeNet", 10, 62'006, 28, 400},
};

} // namespace

std::span<const ModelFacts> knownModels()
{
    return kModels;
}

const ModelFacts* modelFacts(std::string_view name)
{
    const auto* found =
        std::find_if(std::begin(kModels), std::end(kModels), [&](const auto& model) { return model.name == name; });
    return found == std::end(kModels) ? nullptr : found;
}

} // namespace ringside
