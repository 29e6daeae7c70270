// SPDX-License-Identifier: MIT
// The settings that an adapter knows, its own among them, as those of an experiment. Pure.
#pragma once

#include "core/adapters/adapter.h"
#include "core/spec/schema.h"

#include <functional>
#include <map>
#include <string>

namespace ringside::adapters {

/// Its texts are those of the option, which outlives it.
spec::Setting settingOf(const Option& option);

using KnownSettings = std::map<std::string, spec::Setting, std::less<>>;
/// The settings that every engine has, those that the table names, and its options. The adapter outlives them.
KnownSettings knownSettings(const Adapter& adapter);

} // namespace ringside::adapters
