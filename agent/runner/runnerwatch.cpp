// SPDX-License-Identifier: MIT
#include "agent/runner/runnerwatch.h"

#include "agent/runner/launcherplace.h"
#include "agent/runner/procfs.h"
#include "core/base/clock.h"
#include "core/base/rankvariables.h"

#include <csignal>
#include <unistd.h>

namespace ringside::runner {

namespace {

using std::chrono::milliseconds;

/// The guards of a node but its first look at the heartbeat only in case that one is dead: a thousand ranks are a lot
/// of looks at a file server. As many looks without news as make 5 s, and 10 s, mean that the runner is gone.
constexpr milliseconds kRareLook{5'000};
constexpr int kPatience = 4;
constexpr int kRarePatience = 2;

bool isGuard(pid_t pid)
{
    std::error_code ignored;
    const auto program = [&](const std::string& process) {
        return fs::read_symlink("/proc/" + process + "/exe", ignored);
    };
    return program(std::to_string(pid)) == program("self");
}

} // namespace

bool isFirstOfNode()
{
    return localRank() == 0;
}

RunnerWatch::RunnerWatch(const fs::path& attempt, const fs::path& heartbeat)
    : m_attempt(attempt)
    , m_isFirst(isFirstOfNode())
    , m_watch(heartbeat, m_isFirst ? kPatience : kRarePatience)
{
}

std::optional<milliseconds> RunnerWatch::look(std::int64_t nowNs)
{
    if (nowNs < m_dueNs)
        return std::nullopt;
    m_dueNs = nowNs + toNs(m_isFirst ? kLook : kRareLook);
    return m_watch.look();
}

void RunnerWatch::endOthers() const
{
    for (const pid_t pid : onNode(kAttemptVariable))
        if (isGuard(pid))
            kill(pid, SIGTERM);
}

bool RunnerWatch::signalRanks(int signal) const
{
    const auto ranks = onNode(kRankVariable);
    for (const pid_t pid : ranks)
        kill(pid, signal);
    return !ranks.empty();
}

std::vector<pid_t> RunnerWatch::onNode(const char* variable) const
{
    auto pids = m_isFirst ? processesOf(m_attempt, variable) : std::vector<pid_t>{};
    std::erase(pids, getpid());
    return pids;
}

} // namespace ringside::runner
