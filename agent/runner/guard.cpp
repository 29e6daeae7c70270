// SPDX-License-Identifier: MIT
#include "agent/runner/guard.h"

#include "agent/runner/rankexit.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/protocol/layout.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

/// From SIGTERM to SIGKILL. Together with noticing the runner's death it stays below the 10 s that are promised.
constexpr std::chrono::nanoseconds kGrace = std::chrono::seconds(8);
/// How often the runner's end of the pipe is looked at: a pipe opened after its death gives no hang-up to poll for.
constexpr int kLookMs = 1'000;

std::optional<int> rankOfLauncher()
{
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* value = environment(name))
            return std::atoi(value);
    return std::nullopt;
}

std::string hostName()
{
    utsname names{};
    return ::uname(&names) == 0 ? names.nodename : "";
}

sigset_t guardedSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
        sigaddset(&set, signal);
    return set;
}

/// In the child: never returns.
[[noreturn]] void becomeRank(const GuardOptions& options, int log, pid_t guard)
{
    const sigset_t set = guardedSignals();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard)
        _exit(128 + SIGKILL);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const auto& argument : options.command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(arguments.front(), arguments.data());
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments.front(), std::strerror(errno));
    _exit(127);
}

/// Watches one rank's process until it ends.
class Guard
{
public:
    Guard(pid_t child, int signals, int control)
        : m_child(child)
        , m_signals(signals)
        , m_control(control)
    {
    }

    RankExit watch()
    {
        int status = 0;
        while (waitpid(m_child, &status, WNOHANG) == 0)
            turn();
        RankExit exit = RankExit::fromWaitStatus(status);
        exit.told = m_toldNs != 0;
        exit.atNs = monotonicNs();
        exit.host = hostName();
        return exit;
    }

private:
    void turn()
    {
        pollfd set[] = {{m_signals, POLLIN, 0}, {m_toldNs ? -1 : m_control, POLLIN, 0}};
        poll(set, 2, kLookMs);
        if (toldBySignal() || (!m_toldNs && runnerIsGone()))
            tell();
        if (m_toldNs && monotonicNs() - m_toldNs > kGrace.count())
            kill(m_child, SIGKILL);
    }

    bool toldBySignal()
    {
        bool told = false;
        signalfd_siginfo info;
        while (read(m_signals, &info, sizeof info) == sizeof info)
            told = told || info.ssi_signo != SIGCHLD;
        return told;
    }

    /// The runner never writes: end of file means that nobody holds the other end.
    bool runnerIsGone()
    {
        char byte;
        return m_control >= 0 && read(m_control, &byte, 1) == 0;
    }

    void tell()
    {
        kill(m_child, SIGTERM);
        if (!m_toldNs)
            m_toldNs = monotonicNs();
    }

    pid_t m_child;
    int m_signals;
    int m_control;
    std::int64_t m_toldNs = 0;
};

Result<int> openLog(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return tl::unexpected(systemError("cannot write", path, errno));
    return fd;
}

/// A pipe that is gone means that the runner is, too.
Result<int> openControl(const std::optional<fs::path>& path)
{
    if (!path)
        return -1;
    const int fd = ::open(path->c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError("cannot watch the runner through", *path, errno));
    return fd;
}

} // namespace

Result<int> guardRank(const GuardOptions& options)
{
    const auto rank = options.rank ? options.rank : rankOfLauncher();
    if (!rank)
        return fail(ErrorCode::usage, "This process has no rank.", "Start it by mpirun or srun, or say --rank.");
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    TRY_ASSIGN(const int log, openLog(layout::rankLog(options.attempt, *rank)));
    TRY_ASSIGN(const int control, openControl(options.control));
    const sigset_t set = guardedSignals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    const int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    const pid_t guard = getpid();
    const pid_t child = fork();
    if (child < 0)
        return fail(ErrorCode::unavailable, fmt::format("cannot start a process: {}.", std::strerror(errno)));
    if (child == 0)
        becomeRank(options, log, guard);
    const RankExit exit = Guard(child, signals, control).watch();
    if (auto written = writeRankExit(options.attempt, *rank, exit); !written)
        dprintf(log, "%s\n", written.error().text().c_str());
    return exit.shellCode();
}

} // namespace ringside::runner
