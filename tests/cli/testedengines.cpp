// SPDX-License-Identifier: MIT
#include "tests/cli/testedengines.h"

#include "core/base/environment.h"

namespace ringside::test {

InstalledEngines enginesForTests()
{
    InstalledEngines installed;
    if (const auto root = dataFolder())
        installed = installedEngines(*root);
    if (const char* tests = environment("RINGSIDE_FRAMEWORKS"))
        installed.merge(installedEngines(fs::path(tests) / "ringside"));
    return installed;
}

} // namespace ringside::test
