// SPDX-License-Identifier: MIT
// Functions by which tests start probes.
#pragma once

#include "agent/worker/collectives/rankgroup.h"
#include "tests/worker/nompi.h"
#include "tests/worker/plans/trials.h"

#include <chrono>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace ringside::test {

inline int exitCodeOf(int processes, const std::vector<std::string>& command, Meeting meeting = Meeting::mpi)
{
    auto group = RankGroup::start(processes, command, meeting);
    REQUIRE(group);
    const auto code = group->wait(std::chrono::minutes(5));
    INFO((code ? "" : code.error().message)); // that they hung, or were too slow
    REQUIRE(code);
    return *code;
}

/// Returns the exit code of so many ranks and the servers behind them, as many for each trial as for the first.
inline int exitCodeOf(const std::string& probe, int ranks, const Trials& trials, Meeting meeting = Meeting::mpi)
{
    std::vector<std::string> command{probe};
    for (const Trial& trial : trials)
        command.push_back(wordOf(trial));
    return exitCodeOf(ranks + trials.front().plan.serverRanks(), command, meeting);
}

} // namespace ringside::test
