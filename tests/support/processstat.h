// SPDX-License-Identifier: MIT
// Reads what the kernel says of a process, or of a thread, in its file stat; and which processes there are.
#pragma once

#include "core/base/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside::test {

struct ProcessStat
{
    char state = 0; ///< as ps shows it: R runs, S sleeps, D waits for a disk, T is stopped, Z has ended
    pid_t parent = 0;
    std::int64_t ticks = 0; ///< of processor time, the kernel's part included
};

/// Reads the file stat of /proc/PID, or of /proc/PID/task/TID. nullopt once it is gone.
std::optional<ProcessStat> readProcessStat(const fs::path& folder);
std::optional<ProcessStat> readProcessStat(pid_t pid);

/// Pids that carry this text in their command line.
std::vector<pid_t> processesWith(const std::string& text);

} // namespace ringside::test
