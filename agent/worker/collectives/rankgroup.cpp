// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/rankgroup.h"

#include "core/base/environment.h"
#include "core/base/files.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ringside {

namespace {

constexpr std::chrono::milliseconds kLook{10};

/// Ranks bind themselves, share memory without kernel help (containers forbid it), and give way while they wait.
std::vector<std::string> mpirun(int ranks)
{
    return {"mpirun",
            "-n",
            std::to_string(ranks),
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "pml",
            "^cm,ucx", // leaves ob1, and what only counts its messages
            "--mca",
            "btl",
            "self,vader,tcp",
            "--mca",
            "btl_vader_single_copy_mechanism",
            "none",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--mca",
            "odls_base_sigkill_timeout",
            "10"};
}

std::vector<std::string> childEnvironment()
{
    std::vector<std::string> variables = inheritedEnvironment();
    std::erase_if(variables, [](const auto& entry) { return variableName(entry) == "TMPDIR"; });
    variables.emplace_back("TMPDIR=/tmp"); // Open MPI's sockets need a short path
    if (geteuid() == 0) {
        variables.emplace_back("OMPI_ALLOW_RUN_AS_ROOT=1");
        variables.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    }
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> list;
    for (auto& text : texts)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

int exitCode(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Result<RankGroup> RankGroup::start(int ranks, const std::vector<std::string>& command)
{
    auto arguments = ranks > 1 ? mpirun(ranks) : std::vector<std::string>{};
    arguments.insert(arguments.end(), command.begin(), command.end());
    auto variables = childEnvironment();
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, arguments.front().c_str(), nullptr, nullptr, pointers(arguments).data(),
                                   pointers(variables).data());
    if (error != 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} cannot be started: {}.", arguments.front(), std::strerror(error)),
                    "Install Open MPI (package openmpi-bin).");
    return RankGroup(pid);
}

RankGroup::RankGroup(RankGroup&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1))
{
}

RankGroup::~RankGroup()
{
    if (m_pid > 0) {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
}

Result<int> RankGroup::wait(std::chrono::milliseconds limit)
{
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(m_pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::timeout, fmt::format("The ranks did not end within {} ms.", limit.count()));
        std::this_thread::sleep_for(kLook);
    }
    m_pid = -1;
    return exitCode(status);
}

} // namespace ringside
