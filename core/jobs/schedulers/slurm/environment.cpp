// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/environment.h"

namespace ringside::slurm {

const jobs::JobVariables& jobVariables()
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

bool changesSubmission(std::string_view name)
{
    if (name == "SLURM_CONF" || name == "SLURM_CONF_SERVER")
        return false;
    return name.starts_with("SBATCH_") || name.starts_with("SLURM_");
}

} // namespace ringside::slurm
