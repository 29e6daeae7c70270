// SPDX-License-Identifier: MIT
#include "agent/runner/leftovers.h"

#include "agent/runner/procfs.h"
#include "core/protocol/layout.h"

#include <csignal>
#include <thread>

namespace ringside::runner {

namespace {

/// The period of looks at a node's processes, all of whose environments are read.
constexpr std::chrono::milliseconds kPeriod{200};
/// One that forks meanwhile is met again.
constexpr int kMostKills = 10;

std::vector<pid_t> leftovers(const fs::path& attempt, int rank)
{
    return together(processesOf(layout::rankLog(attempt, rank), kOneRankVariable), descendants());
}

} // namespace

std::size_t awaitLeftovers(const fs::path& attempt, int rank, std::chrono::milliseconds limit)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const std::size_t left = leftovers(attempt, rank).size();
        if (left == 0 || std::chrono::steady_clock::now() >= end)
            return left;
        std::this_thread::sleep_for(std::min(kPeriod, limit));
    }
}

void killLeftovers(const fs::path& attempt, int rank)
{
    for (int i = 0; i < kMostKills; ++i) {
        const auto left = leftovers(attempt, rank);
        for (const pid_t pid : left)
            kill(pid, SIGKILL);
        if (left.empty())
            return;
    }
}

} // namespace ringside::runner
