// SPDX-License-Identifier: MIT
#include "core/protocol/models.h"

#include <algorithm>

namespace ringside {

namespace {

// Parameter counts: torchvision 0.26, for GoogLeNet and Inception-v3 without auxiliary classifiers; PyTorch's CIFAR-10
// tutorial for LeNet on three channels; for GPT-2 (the smallest) and the LSTM see agent/worker/models/.
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
    ModelFacts{"gpt2", "GPT-2", 50'257, 124'439'808, 0, 1'800'000, ModelInput::tokens, 1024, 0.75},
    ModelFacts{"lstm", "LSTM", 10'000, 19'780'400, 0, 200'000, ModelInput::tokens, 4096, 1.0},
};

bool isGivenTokens(std::string_view model)
{
    const auto* facts = modelFacts(model);
    return facts && takesTokens(*facts);
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

bool takesTokens(const ModelFacts& model)
{
    return model.input == ModelInput::tokens;
}

double placesOf(const ModelFacts& model, std::int64_t imageSize, std::int64_t sequenceLength)
{
    const auto side = static_cast<double>(imageSize);
    return takesTokens(model) ? static_cast<double>(sequenceLength) : side * side;
}

std::string_view itemsOf(std::string_view model)
{
    return isGivenTokens(model) ? "sequences" : "images";
}

std::string_view itemOf(std::string_view model)
{
    return isGivenTokens(model) ? "sequence" : "image";
}

} // namespace ringside
