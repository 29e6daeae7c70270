// SPDX-License-Identifier: MIT
// Starts a program as ranks on this computer, for self-tests and tests: several through mpirun or on their own, one by
// itself.
// (Attempts are started by the runner, which is built without MPI.)
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside {

/// The way in which ranks find each other.
enum class Meeting
{
    mpi,
    tcp
};

class RankGroup
{
public:
    /// `command` is the program and its arguments, passed on as they are. Once mpirun is ended, or a rank has failed,
    /// the others have `grace` before SIGTERM and again before SIGKILL; it is always waited for, whether they live or
    /// not. (So does Open MPI 4; others take a time of their own.) Fails with notFound if there is no mpirun, which
    /// Meeting::tcp does without, and with unavailable if it cannot be started.
    static Result<RankGroup> start(int ranks, const std::vector<std::string>& command, Meeting meeting = Meeting::mpi,
                                   std::chrono::seconds grace = std::chrono::seconds(1));
    RankGroup(RankGroup&& other) noexcept;
    RankGroup& operator=(RankGroup&&) = delete;
    /// Kills what still runs; ranks end with their mpirun.
    ~RankGroup();

    /// The exit code, 128 + signal if it was killed, of the first rank that ended badly; after `limit` a timeout, and
    /// they still run.
    Result<int> wait(std::chrono::milliseconds limit);
    /// The process of mpirun, or of the first rank.
    pid_t pid() const { return m_pids.front(); }

private:
    RankGroup() = default;
    Result<void> spawn(std::vector<std::string> arguments, std::vector<std::string> variables);
    Result<void> spawnOverTcp(int ranks, const std::vector<std::string>& command);

    std::vector<pid_t> m_pids; ///< -1 once it has ended
    int m_code = 0;
    std::string m_folder; ///< for temporary files and the meeting's; removed at the end
};

} // namespace ringside
