// SPDX-License-Identifier: GPL-3.0-or-later
// The answer to “there is no torch here”: one may be installed.
#pragma once

#include "core/base/error.h"

#include <string>

namespace ringside::cli {

/// Writes into the site's file that a torch may be installed there, below its root, where none is found: asked once,
/// it holds for the window and for later commands, too. Fails with notFound, and the names that there are.
Result<void> allowTorch(const std::string& site);

} // namespace ringside::cli
