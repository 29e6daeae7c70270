// SPDX-License-Identifier: MIT
#include "core/jobs/launchers/table.h"

#include "core/jobs/scheduler.h"

#include <algorithm>

namespace ringside::jobs {

// Each is defined in a file of its own beside this one.
extern const Launcher& kOpenMpi4;
extern const Launcher& kOpenMpi5;
extern const Launcher& kMpich;
extern const Launcher& kIntelMpi;
extern const Launcher& kPals;
const Launcher* srunWith(std::string_view pmi);
extern const Launcher& kAgentStarter;

namespace {

constexpr std::string_view kSrun = "srun";

const Launcher& launcherOfMpi(std::string_view version)
{
    const auto found = std::ranges::find_if(launchers(), [&](const Launcher* each) { return each->isOf(version); });
    return found == launchers().end() ? kOpenMpi4 : **found;
}

} // namespace

std::span<const Launcher* const> launchers()
{
    static const Launcher* const all[] = {&kOpenMpi4,       &kOpenMpi5,       &kMpich,          &kIntelMpi,
                                          &kPals,           srunWith("pmix"), srunWith("pmi2"), srunWith("cray_shasta"),
                                          srunWith("none"), &kAgentStarter};
    return all;
}

const Launcher* launcherFor(std::string_view word, const AttemptPlace& place)
{
    if (word == kLauncherOfMpi)
        return &launcherOfMpi(place.mpirunVersion);
    if (word == kSrun)
        return srunWith(launcherOfMpi(place.mpirunVersion).pmi());
    if (word == kLauncherWithoutMpi && place.scheduler)
        word = place.scheduler->launcherWithoutMpi();
    const auto found = std::ranges::find(launchers(), word, &Launcher::name);
    return found == launchers().end() ? nullptr : *found;
}

bool dependsOnMpi(std::string_view word)
{
    return word == kLauncherOfMpi || word == kSrun;
}

} // namespace ringside::jobs
