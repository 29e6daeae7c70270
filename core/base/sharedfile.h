// SPDX-License-Identifier: MIT
// Files that people pass on: figures, tables, experiments.
#pragma once

#include "core/base/files.h"

namespace ringside {

/// writeFileAtomically() with the mode by the umask, in place of 0600.
Result<void> writeSharedFile(const fs::path& path, std::string_view bytes);

} // namespace ringside
