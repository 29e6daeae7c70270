// SPDX-License-Identifier: MIT
#include "agent/worker/models/models.h"

#include <algorithm>
#include <array>

namespace ringside {

namespace {

// Parameter counts: torchvision 0.20 for AlexNet and ResNet-50; PyTorch's CIFAR-10 tutorial for LeNet on three
// channels.
constexpr std::array kModels = {
    ModelEntry{"alexnet", 1000, 61'100'840, 63, 100, makeAlexNet},
    ModelEntry{"lenet", 10, 62'006, 28, 400, makeLeNet},
    ModelEntry{"resnet50", 1000, 25'557'032, 32, 2000, makeResNet50},
};

} // namespace

std::span<const ModelEntry> models()
{
    return kModels;
}

const ModelEntry* findModel(std::string_view name)
{
    const auto* found =
        std::find_if(kModels.begin(), kModels.end(), [&](const auto& model) { return model.name == name; });
    return found == kModels.end() ? nullptr : found;
}

} // namespace ringside
