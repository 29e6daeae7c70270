// SPDX-License-Identifier: MIT
// Where Ringside keeps what it can find out again.
#pragma once

#include "core/base/files.h"

namespace ringside {

/// $XDG_CACHE_HOME/ringside, else $HOME/.cache/ringside. Set-but-empty variables count as unset. May be missing.
Result<fs::path> cacheFolder();

} // namespace ringside
