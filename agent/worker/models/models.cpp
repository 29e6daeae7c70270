// SPDX-License-Identifier: MIT
#include "agent/worker/models/models.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside {

// Each is defined in the file of its model beside this one.
std::unique_ptr<Model> makeAlexNet(const ModelOptions& options);
std::unique_ptr<Model> makeGoogLeNet(const ModelOptions& options);
std::unique_ptr<Model> makeGpt2(const ModelOptions& options);
std::unique_ptr<Model> makeInceptionV3(const ModelOptions& options);
std::unique_ptr<Model> makeLeNet(const ModelOptions& options);
std::unique_ptr<Model> makeLstm(const ModelOptions& options);
std::unique_ptr<Model> makeResNet18(const ModelOptions& options);
std::unique_ptr<Model> makeResNet50(const ModelOptions& options);
std::unique_ptr<Model> makeResNet101(const ModelOptions& options);
std::unique_ptr<Model> makeResNet152(const ModelOptions& options);
std::unique_ptr<Model> makeVgg16(const ModelOptions& options);

namespace {

struct Maker
{
    std::string_view name;
    std::unique_ptr<Model> (*make)(const ModelOptions& options);
};

constexpr std::array kMakers = {
    Maker{"alexnet", makeAlexNet},     Maker{"googlenet", makeGoogLeNet}, Maker{"inceptionv3", makeInceptionV3},
    Maker{"resnet18", makeResNet18},   Maker{"resnet50", makeResNet50},   Maker{"resnet101", makeResNet101},
    Maker{"resnet152", makeResNet152}, Maker{"vgg16", makeVgg16},         Maker{"lenet", makeLeNet},
    Maker{"gpt2", makeGpt2},           Maker{"lstm", makeLstm},
};

ModelEntry entryOf(const ModelFacts& facts)
{
    for (const auto& maker : kMakers)
        if (maker.name == facts.name)
            return {facts, maker.make};
    throw std::logic_error("core/protocol/models.cpp has a model that agent/worker/models does not build: " +
                           std::string(facts.name));
}

std::vector<ModelEntry> makeTable()
{
    std::vector<ModelEntry> table;
    for (const auto& facts : knownModels())
        table.push_back(entryOf(facts));
    return table;
}

} // namespace

std::span<const ModelEntry> models()
{
    static const auto table = makeTable();
    return table;
}

const ModelEntry* findModel(std::string_view name)
{
    const auto all = models();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& model) { return model.name == name; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace ringside
