// SPDX-License-Identifier: MIT
// A factor's levels as people type them: "1, 2, 4", "1..8", "1..16*2", "alexnet, resnet50".
#pragma once

#include "core/protocol/settings.h"
#include "core/spec/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

inline constexpr std::size_t kMaxLevels = 1'000;

struct LevelError
{
    std::string text;         ///< the piece as typed: "fp8"
    std::size_t position = 0; ///< byte offset of the piece in the line
    std::string message;      ///< "“fp8” is not known. “bf16” and “fp32” are."
    bool operator==(const LevelError&) const = default;
};

/// The levels that are right, and what is wrong with the others.
struct LevelList
{
    std::vector<Value> levels;
    std::vector<LevelError> errors;
};

/// Parts are separated by commas or semicolons; brackets and quotes around them are allowed. "a..b" counts by one,
/// "a..b+s" by s, "a..b*f" multiplies by f. A level that occurs twice counts once.
/// For `plan`, pass the names of the plans there are; they are ignored for other settings.
LevelList parseLevels(const Setting& setting, std::string_view text, const std::vector<std::string>& plans = {});

/// The same of a setting that no table here has: each level a number, else a word.
std::vector<Value> levelsOfUnknown(std::string_view text);

/// "1, 2, 4"; parseLevels() returns the same levels.
std::string levelsToText(const std::vector<Value>& levels);

} // namespace ringside::spec
