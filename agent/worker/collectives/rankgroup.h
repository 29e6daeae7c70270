// SPDX-License-Identifier: MIT
// Starts a program as ranks on this computer, for self-tests and tests: several through mpirun, one by itself.
// (Attempts are started by the runner, which is built without MPI.)
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside {

class RankGroup
{
public:
    /// `command` is the program and its arguments, passed on as they are. Fails with unavailable if there is no mpirun.
    static Result<RankGroup> start(int ranks, const std::vector<std::string>& command);
    RankGroup(RankGroup&& other) noexcept;
    RankGroup& operator=(RankGroup&&) = delete;
    /// Kills what still runs; ranks end with their mpirun.
    ~RankGroup();

    /// The exit code, 128 + signal if it was killed; after `limit` a timeout, and they still run.
    Result<int> wait(std::chrono::milliseconds limit);
    /// Of mpirun, or of the only rank.
    pid_t pid() const { return m_pid; }

private:
    explicit RankGroup(pid_t pid)
        : m_pid(pid)
    {
    }
    pid_t m_pid = -1;
};

} // namespace ringside
