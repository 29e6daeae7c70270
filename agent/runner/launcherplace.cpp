// SPDX-License-Identifier: MIT
#include "agent/runner/launcherplace.h"

#include "core/base/environment.h"
#include "core/base/rankvariables.h"
#include "core/jobs/launchers/table.h"

#include <cstdlib>

namespace ringside::runner {

std::optional<int> rankOfLauncher()
{
    for (const jobs::Launcher* launcher : jobs::launchers())
        if (const char* value = environment(launcher->variables().rank))
            return std::atoi(value);
    return std::nullopt;
}

int localRank()
{
    const char* local = environment(kTcpLocalRankVariable);
    for (const jobs::Launcher* launcher : jobs::launchers())
        local = local ? local : environment(launcher->variables().localRank);
    return local ? std::atoi(local) : 0;
}

} // namespace ringside::runner
