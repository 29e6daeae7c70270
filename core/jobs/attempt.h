// SPDX-License-Identifier: MIT
// An attempt as it is started: where, by which words.
#pragma once

#include "core/base/files.h"
#include "core/protocol/plan.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::jobs {

class Launcher;
class Scheduler;

using Command = std::vector<std::string>; ///< the program first; nothing is read as shell text

/// Places on the machine that carries out the plan.
struct SitePaths
{
    fs::path root;  ///< the site's root (core/protocol/layout.h)
    fs::path agent; ///< ringside-agent
};

/// Facts that are known only when the attempt begins.
struct AttemptPlace
{
    int number = 1;                           ///< attempt-k
    fs::path temporaryFolder;                 ///< its own, short, removed afterwards
    fs::path sharedMemoryFolder = "/dev/shm"; ///< where ranks of one host exchange data
    fs::path nodeFolder = {};                 ///< for data on this computer's own disk (core/protocol/nodefolder.h)
    /// Its nodes, by rank, then those that only servers run on; empty: this computer, by direct children.
    std::vector<std::string> hosts = {};
    std::string mpirunVersion = {}; ///< the answer of “mpirun --version” there; empty: not known
    int cores = 0; ///< that this computer's processes may use, and those of its other nodes; 0: not known
    const Scheduler* scheduler = nullptr; ///< in whose job the hosts are; none: they are the plan's, or it is this one
};

struct AttemptCommand
{
    Command arguments;
    std::map<std::string, std::string> environment; ///< on top of what is inherited
    fs::path hostsFile;                             ///< to be written before; empty: none is needed
    std::string hostsText;                          ///< what is in it
    const Launcher* launcher = nullptr;             ///< whose words these are; none: one process here needs none
    std::string program = {};                       ///< the launcher's, to be found in PATH; empty: it needs none
};

/// The pipe below the temporary folder by which the ranks' guards notice the runner's death.
fs::path controlPipe(const fs::path& temporaryFolder);

} // namespace ringside::jobs
