// SPDX-License-Identifier: MIT
// Whether programs that an attempt starts are there, on the computer that asks.
#pragma once

#include "core/base/files.h"

namespace ringside::jobs {

/// A file that this process may execute.
bool isExecutable(const fs::path& path);

/// True if `program` (a bare name) is executable in a folder of $PATH.
bool isInPath(const char* program);

} // namespace ringside::jobs
