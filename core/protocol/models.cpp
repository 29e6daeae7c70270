// SPDX-License-Identifier: MIT
#include "core/protocol/models.h"

#include <algorithm>

namespace ringside {

namespace {

// Parameter counts: torchvision 0.26, for GoogLeNet and Inception-v3 without auxiliary classifiers; PyTorch's CIFAR-10
// tutorial for LeNet on three channels.
constexpr ModelFacts kModels[] = {
    ModelFacts{"alexnet", "AlexNet", 1000, 61'100'840, 63, 100},
    ModelFacts{"googlenet", "GoogLeNet", 1000, 6'624'904, 15, 1300},
    ModelFacts{"inceptionv3", "Inception-v3", 1000, 23'834'568, 75, 1800},
    ModelFacts{"resnet18", "ResNet-18", 1000, 11'689'512, 32, 750},
    ModelFacts{"resnet50", "ResNet-50", 1000, 25'557'032, 32, 2000},
    ModelFacts{"resnet101", "ResNet-101", 1000, 44'549'160, 32, 3000},
    ModelFacts{"resnet152", "ResNet-152", 1000, 60'192'808, 32, 4200},
    ModelFacts{"vgg16", "VGG-16", 1000, 138'357'544, 32, 2400},
    ModelFacts{"lenet", "LeNet", 10, 62'006, 28, 240},
};

bool takesTokens(std::string_view model)
{
    const auto* facts = modelFacts(model);
    return facts && facts->input == ModelInput::tokens;
}

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

std::string_view itemsOf(std::string_view model)
{
    return takesTokens(model) ? "sequences" : "images";
}

std::string_view itemOf(std::string_view model)
{
    return takesTokens(model) ? "sequence" : "image";
}

} // namespace ringside
