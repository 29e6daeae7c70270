// SPDX-License-Identifier: MIT
// The systems themselves that tests of the programs can start.
#pragma once

#include "core/protocol/installedengine.h"

namespace ringside::test {

/// This user's own, and those that tests/frameworks.sh has installed (the folder in RINGSIDE_FRAMEWORKS).
InstalledEngines enginesForTests();

} // namespace ringside::test
