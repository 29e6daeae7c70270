// SPDX-License-Identifier: MIT
#include "core/jobs/launchers/table.h"

#include "core/jobs/schedulers/table.h"

#include <algorithm>
#include <vector>

namespace ringside::jobs {

// Each is defined in a file of its own beside this one.
extern const Launcher& kOpenMpi4;
extern const Launcher& kOpenMpi5;
extern const Launcher& kMpich;
extern const Launcher& kIntelMpi;
extern const Launcher& kPals;
extern const Launcher& kAgentStarter;

namespace {

const Launcher& launcherOfMpi(std::string_view version)
{
    const auto found = std::ranges::find_if(launchers(), [&](const Launcher* each) { return each->isOf(version); });
    return found == launchers().end() ? kOpenMpi4 : **found;
}

std::vector<const Launcher*> allLaunchers()
{
    std::vector<const Launcher*> all{&kOpenMpi4, &kOpenMpi5, &kMpich, &kIntelMpi, &kPals};
    for (const Scheduler* scheduler : schedulers())
        all.insert(all.end(), scheduler->launchers().begin(), scheduler->launchers().end());
    all.push_back(&kAgentStarter);
    return all;
}

/// Returns the scheduler whose launcher the word leaves open but for its kind of PMI; nullptr for any other word.
const Scheduler* schedulerOf(std::string_view word)
{
    const auto found = std::ranges::find_if(
        schedulers(), [word](const Scheduler* each) { return each->launcher() == word && !each->launchers().empty(); });
    return found == schedulers().end() ? nullptr : *found;
}

/// nullptr where it has none of this kind of PMI.
const Launcher* launcherWith(std::string_view pmi, const Scheduler& scheduler)
{
    const auto found = std::ranges::find(scheduler.launchers(), pmi, &Launcher::pmi);
    return found == scheduler.launchers().end() ? nullptr : *found;
}

} // namespace

std::span<const Launcher* const> launchers()
{
    static const std::vector<const Launcher*> all = allLaunchers();
    return all;
}

const Launcher* launcherFor(std::string_view word, const AttemptPlace& place)
{
    if (word == kLauncherOfMpi)
        return &launcherOfMpi(place.mpirunVersion);
    if (const Scheduler* scheduler = schedulerOf(word))
        return launcherWith(launcherOfMpi(place.mpirunVersion).pmi(), *scheduler);
    if (word == kLauncherWithoutMpi && place.scheduler)
        word = place.scheduler->launcherWithoutMpi();
    const auto found = std::ranges::find(launchers(), word, &Launcher::name);
    return found == launchers().end() ? nullptr : *found;
}

bool dependsOnMpi(std::string_view word)
{
    return word == kLauncherOfMpi || schedulerOf(word);
}

} // namespace ringside::jobs
