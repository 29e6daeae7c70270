// SPDX-License-Identifier: MIT
#include "core/jobs/attempts/attemptcommand.h"

#include "core/base/rankvariables.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/scheduler.h"
#include "core/protocol/nodefolder.h"

namespace ringside::jobs {

namespace {

/// TMPDIR and the node's folder are of this computer.
std::map<std::string, std::string> environmentOf(const Processes& processes)
{
    const AttemptPlace& place = processes.place;
    std::map<std::string, std::string> environment{{kAttemptVariable, processes.attempt().string()}};
    if (processes.areHere())
        environment["TMPDIR"] = place.temporaryFolder.string();
    if (processes.areHere() && !place.nodeFolder.empty())
        environment[kNodeFolderVariable] = place.nodeFolder.string();
    return environment;
}

/// For a program whose ranks find each other by MPI.
Reason becauseWithoutMpi(const Program& program, const Launcher& launcher, const AttemptPlace& place)
{
    const std::string_view usual = place.scheduler ? place.scheduler->launcher() : kLauncherOfMpi;
    return because(why::kStartedWithoutMpi, {{"program", std::string(program.name())},
                                             {"launcher", std::string(launcher.name())},
                                             {"usual", std::string(usual)}});
}

/// Returns nullptr where only the agent is needed.
OrReason<const Launcher*> launcherOf(const CampaignPlan& plan, const RunSpec& run, const AttemptPlace& place,
                                     const Program& program)
{
    if (run.processes() == 1 && place.hosts.empty())
        return nullptr;
    const bool isWithoutMpi = program.meeting() == Program::Meeting::variables;
    const Launcher* launcher = launcherFor(isWithoutMpi ? std::string(kLauncherWithoutMpi) : plan.launcher, place);
    if (launcher && program.meeting() == Program::Meeting::mpi &&
        (launcher->name() == kLauncherWithoutMpi || launcher->pmi() == "none"))
        return tl::unexpected(becauseWithoutMpi(program, *launcher, place));
    if (launcher && launcher->needsJob() && place.hosts.empty())
        launcher = launcherFor(kLauncherOfMpi, place);
    if (!launcher)
        return tl::unexpected(because(why::kUnknownLauncher, {{"launcher", plan.launcher}}));
    if (!run.roles.empty() && !place.hosts.empty() && !launcher->placesOtherRoles())
        return tl::unexpected(because(why::kRoleNotPlaced,
                                      {{"launcher", std::string(launcher->name())}, {"role", run.roles.front().name}}));
    return launcher;
}

} // namespace

OrReason<AttemptCommand> attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                                        const AttemptPlace& place)
{
    const auto program = programOf(plan, run.settings);
    TRY_ASSIGN(const Launcher* launcher, launcherOf(plan, run, place, *program));
    const Processes processes{plan, run, paths, place, *program};
    AttemptCommand command = launcher ? launcher->command(processes) : AttemptCommand{processes.guarded(), {}, {}, {}};
    command.launcher = launcher;
    command.program = launcher ? launcher->program(processes) : std::string();
    command.environment.merge(environmentOf(processes));
    return command;
}

} // namespace ringside::jobs
