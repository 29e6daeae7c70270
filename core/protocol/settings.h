// SPDX-License-Identifier: MIT
// A setting's value, and the resolved settings of one configuration. Sorted by key, so that their JSON is canonical.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside {

/// Value of the setting "interface": the launcher chooses.
inline constexpr std::string_view kAnyInterface = "any";
/// Batches in the ring of a data source, where a run does not say.
inline constexpr int kStandardPrefetch = 4;

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Setting name (snake_case, as in experiment files) to value. Holds factors and fixed settings alike.
using Settings = std::map<std::string, Value, std::less<>>;

/// A value as people write it: 16, 0.5, true, resnet50.
std::string toText(const Value& value);

/// nullptr when absent.
const Value* valueOf(const Settings& settings, std::string_view key);

/// Typed look-ups; nullopt when absent or of another type. An integer reads as a number, too.
std::optional<std::int64_t> integerOf(const Settings& settings, std::string_view key);
std::optional<double> numberOf(const Settings& settings, std::string_view key);
std::optional<std::string> textOf(const Settings& settings, std::string_view key);

nlohmann::json toJson(const Value& value);
nlohmann::json toJson(const Settings& settings);
Result<Value> valueFromJson(const nlohmann::json& json);
Result<Settings> settingsFromJson(const nlohmann::json& json);

/// Returns whether layers only wait their time (compute = "paced"): such runs are emulated, never beside measured ones.
bool isEmulated(const Settings& settings);
/// Returns whether batches come from files, which need time to be prepared, and are read ahead.
bool readsFiles(const Settings& settings);

} // namespace ringside
