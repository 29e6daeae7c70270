// SPDX-License-Identifier: MIT
// The one definition of how an attempt is started. The runner executes it; the script that people see shows it.
#pragma once

#include "core/base/files.h"
#include "core/protocol/plan.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::jobs {

/// Where things are on the machine that carries out the plan.
struct SitePaths
{
    fs::path root;  ///< the site's root (core/protocol/layout.h)
    fs::path agent; ///< ringside-agent
};

/// What is known only when the attempt begins.
struct AttemptPlace
{
    int number = 1;                           ///< attempt-k
    fs::path temporaryFolder;                 ///< its own, short, removed afterwards
    fs::path sharedMemoryFolder = "/dev/shm"; ///< where ranks of one host exchange data
    fs::path nodeFolder = {};                 ///< for data on this computer's own disk (core/protocol/nodefolder.h)
    /// Its nodes, by rank, then those that only servers run on; empty: this computer, by direct children.
    std::vector<std::string> hosts = {};
};

struct AttemptCommand
{
    std::vector<std::string> arguments;             ///< the program first; nothing is read as shell text
    std::map<std::string, std::string> environment; ///< on top of what is inherited
    fs::path hostsFile;                             ///< to be written before; empty: none is needed
    std::string hostsText;                          ///< what is in it
};

/// The pipe below the temporary folder by which the ranks' guards notice the runner's death.
fs::path controlPipe(const fs::path& temporaryFolder);

/// "mpirun" or "srun"; "ssh" where the agent itself reaches other hosts by it; empty if nothing but the agent is
/// needed: for a single rank, or for several here without MPI.
std::string launcherOf(const CampaignPlan& plan, const RunSpec& run, const AttemptPlace& place);

/// One process here is started directly, others below mpirun or srun, or without MPI below srun alone or
/// `ringside-agent ranks`: ranks, then server ranks; each rank below a guard (`ringside-agent rank`). Guards here are
/// tied to the runner by a pipe, those on hosts by a file that all of them see.
AttemptCommand attemptCommand(const CampaignPlan& plan, const RunSpec& run, const SitePaths& paths,
                              const AttemptPlace& place);

} // namespace ringside::jobs
