// SPDX-License-Identifier: MIT
// The models by name: facts that the form, the checks and the worker share. Their layers are built in
// agent/worker/models.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ringside {

/// Size of an item, where a run does not say: pixels of a side, and tokens.
inline constexpr int kStandardImageSize = 224, kStandardSequenceLength = 256;

/// Input of a network: pictures, or sequences of tokens.
enum class ModelInput
{
    pictures,
    tokens,
};

struct ModelFacts
{
    std::string_view name;
    std::string_view title;
    std::int64_t classes;    ///< of the published network; the words of its vocabulary
    std::int64_t parameters; ///< with that many classes, as published; a test compares
    int smallestImage;       ///< pixels; below it a layer has nothing left; 0: no pictures
    double activationBytes;  ///< fp32 memory of an iteration beyond the parameters, per pixel or token of the batch;
                             ///< roughly
    ModelInput input = ModelInput::pictures;
    int longestSequence = 0; ///< tokens; 0: no sequences
    double bf16Share = 0.6;  ///< of activationBytes, what bf16 by autocast takes
};

/// In the order in which they are offered.
std::span<const ModelFacts> knownModels();
/// Null if there is none of this name.
const ModelFacts* modelFacts(std::string_view name);

bool takesTokens(const ModelFacts& model);
/// Numbers of places of one item, which activationBytes are per: pixels of a picture, or tokens of a sequence.
double placesOf(const ModelFacts& model, std::int64_t imageSize, std::int64_t sequenceLength);

/// The setting of imported runs that names the items which their log counts: "tokens". Absent: those of the model.
inline constexpr const char* kItemsKey = "items";

/// Returns the items of the model, as throughput counts them: "images" or "sequences". A model that this version does
/// not know counts images.
std::string_view itemsOf(std::string_view model);
/// One of them: "image" or "sequence".
std::string_view itemOf(std::string_view model);

} // namespace ringside
