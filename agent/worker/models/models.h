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

} // namespace ringside
