// SPDX-License-Identifier: MIT
// Finds whether a program can be started on this computer, and where it is.
#pragma once

#include "core/base/files.h"

#include <string>

namespace ringside {

/// A file that this process may execute.
bool isExecutable(const fs::path& path);

/// `name` itself if it is a path, else where $PATH has it. Empty: nowhere, or it may not be executed.
std::string findProgram(const std::string& name);

} // namespace ringside
