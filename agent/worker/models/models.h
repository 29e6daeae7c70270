// SPDX-License-Identifier: MIT
// The table of models.
#pragma once

#include "agent/worker/models/model.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace ringside {

struct ModelOptions
{
    std::int64_t classes = 1000;
    double dropout = 0.5; ///< for models that drop out; 0 switches it off
};

struct ModelEntry
{
    std::string_view name;
    std::int64_t classes;           ///< of the published network
    std::int64_t parameters;        ///< with that many classes; a test compares
    int smallestImage;              ///< pixels
    double activationBytesPerPixel; ///< fp32 memory of an iteration beyond the parameters, per pixel of the batch;
                                    ///< roughly
    std::unique_ptr<Model> (*make)(const ModelOptions& options);
};

std::span<const ModelEntry> models();
/// Null if there is none of this name.
const ModelEntry* findModel(std::string_view name);

std::unique_ptr<Model> makeAlexNet(const ModelOptions& options);
std::unique_ptr<Model> makeLeNet(const ModelOptions& options);
std::unique_ptr<Model> makeResNet50(const ModelOptions& options);

} // namespace ringside
