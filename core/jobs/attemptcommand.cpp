// SPDX-License-Identifier: MIT
#include "core/jobs/attemptcommand.h"

#include "core/protocol/layout.h"

namespace ringside::jobs {

namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& to, const Arguments& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

Arguments workerArguments(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths, const fs::path& attempt)
{
    const fs::path planFile = layout::planFile(layout::campaignFolder(paths.root, plan.campaign));
    Arguments arguments = plan.launchPrefix;
    append(arguments,
           {plan.worker, "train", "--plan", planFile.string(), "--run", run.id.str(), "--attempt", attempt.string()});
    return arguments;
}

Arguments guardArguments(const SitePaths& paths, const AttemptPlace& place, const fs::path& attempt)
{
    Arguments arguments{paths.agent.string(), "rank", "--attempt", attempt.string()};
    if (place.hosts.empty())
        append(arguments, {"--control", controlPipe(place.temporaryFolder).string()});
    else
        append(arguments, {"--leash", layout::leashFile(attempt).string()});
    return arguments;
}

/// Transport and placement in memory are left to the site's Open MPI: it knows its network. The worker binds itself.
Arguments spreadMpirunArguments(const RunSpec& run, const AttemptPlace& place)
{
    std::string hosts;
    for (const std::string& host : place.hosts)
        hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", host, run.ranksPerNode());
    return {"mpirun",
            "-np",
            std::to_string(run.ranks()),
            "--host",
            hosts,
            "--map-by",
            "slot",
            "--oversubscribe",
            "--bind-to",
            "none",
            "-x",
            "RINGSIDE_ATTEMPT",
            "--mca",
            "mpi_yield_when_idle",
            "1"};
}

/// Said in full, because the job's environment has an opinion on most of it. Why each: agent/README.md, "Slurm".
Arguments srunArguments(const RunSpec& run, const AttemptPlace& place)
{
    std::string hosts;
    for (const std::string& host : place.hosts)
        hosts += (hosts.empty() ? "" : ",") + host;
    return {"srun",
            "--mpi=pmix",
            fmt::format("--nodes={}", place.hosts.size()),
            fmt::format("--nodelist={}", hosts),
            fmt::format("--ntasks={}", run.ranks()),
            fmt::format("--ntasks-per-node={}", run.ranksPerNode()),
            "--distribution=block",
            "--overlap",
            "--cpu-bind=none",
            "--kill-on-bad-exit=0",
            "--wait=0",
            "--input=none",
            "--export=ALL"};
}

/// All ranks on this computer. Measured and explained in agent/README.md, "Open MPI".
Arguments mpirunArguments(const RunSpec& run, const AttemptPlace& place)
{
    return {"mpirun",
            "-np",
            std::to_string(run.ranks()),
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "plm",
            "isolated",
            "--mca",
            "pml",
            "ob1",
            "--mca",
            "btl",
            "self,vader,tcp",
            "--mca",
            "btl_vader_single_copy_mechanism",
            "none",
            "--mca",
            "btl_vader_backing_directory",
            place.sharedMemoryFolder.string(),
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--mca",
            "odls_base_sigkill_timeout",
            "8"};
}

} // namespace

fs::path controlPipe(const fs::path& temporaryFolder)
{
    return temporaryFolder / "control";
}

std::string launcherOf(const CampaignPlan& plan, const RunSpec& run, const AttemptPlace& place)
{
    if (run.ranks() == 1 && place.hosts.empty())
        return {};
    return plan.launcher == Launcher::srun && !place.hosts.empty() ? "srun" : "mpirun";
}

namespace {

Arguments launcherArguments(const std::string& launcher, const RunSpec& run, const AttemptPlace& place)
{
    if (launcher == "srun")
        return srunArguments(run, place);
    return place.hosts.empty() ? mpirunArguments(run, place) : spreadMpirunArguments(run, place);
}

/// TMPDIR is a folder of this computer.
std::map<std::string, std::string> environmentOf(const std::string& launcher, const AttemptPlace& place,
                                                 const fs::path& attempt)
{
    std::map<std::string, std::string> environment{{"RINGSIDE_ATTEMPT", attempt.string()}};
    if (place.hosts.empty())
        environment["TMPDIR"] = place.temporaryFolder.string();
    if (launcher == "srun")
        environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
    if (launcher == "mpirun") {
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"; // both are needed, and only root is asked
        environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    }
    return environment;
}

} // namespace

AttemptCommand attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                              const AttemptPlace& place)
{
    const fs::path attempt = layout::attemptFolder(paths.root, run.id, place.number);
    const std::string launcher = launcherOf(plan, run, place);
    AttemptCommand command;
    command.environment = environmentOf(launcher, place, attempt);
    if (!launcher.empty())
        append(command.arguments, launcherArguments(launcher, run, place));
    append(command.arguments, guardArguments(paths, place, attempt));
    if (launcher.empty())
        append(command.arguments, {"--rank", "0"});
    append(command.arguments, {"--"});
    append(command.arguments, workerArguments(plan, run, paths, attempt));
    return command;
}

} // namespace ringside::jobs
