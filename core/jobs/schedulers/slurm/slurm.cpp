// SPDX-License-Identifier: MIT
// Names in the environment, sbatch's answer, and srun for a probe.
#include "core/jobs/schedulers/slurm/slurm.h"

#include "core/base/text.h"

namespace ringside::slurm {

constinit const Slurm kSlurm;

const jobs::JobVariables& Slurm::variables() const
{
    static constexpr const char* kProcessCounts[] = {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"};
    static constexpr const char* kCountsOnNode[] = {"SLURM_NTASKS_PER_NODE"};
    static constexpr const char* kNodeCounts[] = {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"};
    static constexpr jobs::JobVariables kVariables = {.job = "SLURM_JOB_ID",
                                                      .hosts = "SLURM_JOB_NODELIST",
                                                      .host = "SLURMD_NODENAME",
                                                      .restarts = "SLURM_RESTART_COUNT",
                                                      .cluster = "SLURM_CLUSTER_NAME",
                                                      .scratchFolder = "SLURM_TMPDIR",
                                                      .prefix = "SLURM_",
                                                      .process = "SLURM_PROCID",
                                                      .localProcess = "SLURM_LOCALID",
                                                      .node = "SLURM_NODEID",
                                                      .processCounts = kProcessCounts,
                                                      .countsOnNode = kCountsOnNode,
                                                      .nodeCounts = kNodeCounts};
    return kVariables;
}

Command Slurm::onOneNodeCommand(const std::vector<std::string>& options, const Command& program) const
{
    Command command{"srun",        "--job-name=ringside-probe", "--nodes=1", "--ntasks=1", "--time=2", "--quiet",
                    "--input=none"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), program.begin(), program.end());
    return command;
}

bool Slurm::tellsOnlyTheCode(std::string_view line) const
{
    return line.starts_with("srun: ") && line.find(": Exited with exit code ") != std::string_view::npos;
}

Result<std::string> Slurm::parseSubmitted(std::string_view output) const
{
    std::string_view rest = output;
    while (!rest.empty() && rest.back() == '\n')
        rest.remove_suffix(1);
    const auto newline = rest.find_last_of('\n');
    const std::string_view line = newline == std::string_view::npos ? rest : rest.substr(newline + 1);
    const std::string_view id = line.substr(0, line.find(';'));
    if (!isJobId(id))
        return fail(ErrorCode::damaged,
                    fmt::format("sbatch answered “{}”, which is no job id.", plainText(line.substr(0, 200))));
    return std::string(id);
}

bool Slurm::overridesScript(std::string_view name) const
{
    if (name == "SLURM_CONF" || name == "SLURM_CONF_SERVER")
        return false;
    return name.starts_with("SBATCH_") || name.starts_with("SLURM_");
}

} // namespace ringside::slurm
