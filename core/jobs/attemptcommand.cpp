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
    return {plan.worker, "train", "--plan", planFile.string(), "--run", run.id.str(), "--attempt", attempt.string()};
}

Arguments guardArguments(const SitePaths& paths, const AttemptPlace& place, const fs::path& attempt)
{
    return {paths.agent.string(), "rank",      "--attempt",
            attempt.string(),     "--control", controlPipe(place.temporaryFolder).string()};
}

/// Measured and explained in agent/README.md, "Open MPI".
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

bool needsMpirun(const CampaignPlan&, const RunSpec& run)
{
    return run.ranks() > 1;
}

AttemptCommand attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                              const AttemptPlace& place)
{
    const fs::path attempt = layout::attemptFolder(paths.root, run.id, place.number);
    const bool mpirun = needsMpirun(plan, run);
    AttemptCommand command;
    command.environment["RINGSIDE_ATTEMPT"] = attempt.string();
    command.environment["TMPDIR"] = place.temporaryFolder.string();
    if (mpirun) {
        command.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"; // both are needed, and only root is asked
        command.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
        append(command.arguments, mpirunArguments(run, place));
    }
    append(command.arguments, guardArguments(paths, place, attempt));
    if (!mpirun)
        append(command.arguments, {"--rank", "0"});
    append(command.arguments, {"--"});
    append(command.arguments, workerArguments(plan, run, paths, attempt));
    return command;
}

} // namespace ringside::jobs
