// SPDX-License-Identifier: MIT
// The site's module system (environment modules, Lmod), where there is one.
#pragma once

#include "agent/builder/process.h"

namespace ringside::builder {

/// Letters, digits and "_./+@:=-", not beginning with "-": what names a module, and nothing that a shell reads.
bool isModuleName(std::string_view name);

/// Loads modules in a login shell and adopts its environment. Fails with the module system's message.
Result<void> loadModules(const std::vector<std::string>& modules, const Deadline& deadline);

/// The hint for something missing, as a sentence: names up to three modules here whose names begin like that.
std::string moduleHint(const std::string& nameBegin, const Deadline& deadline);

} // namespace ringside::builder
