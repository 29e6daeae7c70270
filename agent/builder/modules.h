// SPDX-License-Identifier: MIT
// The site's module system (environment modules, Lmod), where there is one.
#pragma once

#include "agent/builder/process.h"

#include <map>

namespace ringside::builder {

using Variables = std::map<std::string, std::string>;

/// Letters, digits and "_./+@:=-", not beginning with "-": what names a module, and nothing that a shell reads.
bool isModuleName(std::string_view name);

/// Loads modules in a login shell and adopts its environment. Returns the variables that the modules set. Fails with
/// the module system's message.
Result<Variables> loadModules(const std::vector<std::string>& modules, const Deadline& deadline);

/// The hint for something missing, as a sentence: names up to three modules here whose names begin like that.
std::string moduleHint(const std::string& nameBegin, const Deadline& deadline);

} // namespace ringside::builder
