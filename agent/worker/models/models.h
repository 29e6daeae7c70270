// SPDX-License-Identifier: MIT
// Builds each model.
#pragma once

#include "agent/worker/models/model.h"
#include "core/protocol/models.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace ringside {

struct ModelOptions
{
    std::int64_t classes = 1000; ///< or words of the vocabulary
    double dropout = 0.5;        ///< for models that drop out; 0 switches it off
};

struct ModelEntry : ModelFacts
{
    std::unique_ptr<Model> (*make)(const ModelOptions& options);
};

/// All that core/protocol/models.h knows.
std::span<const ModelEntry> models();
/// Null if there is none of this name.
const ModelEntry* findModel(std::string_view name);

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

} // namespace ringside
