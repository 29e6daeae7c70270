// SPDX-License-Identifier: MIT
// Starts several ranks without MPI (`ringside-agent ranks`): a guard each on this host, or, by ssh, itself on every
// host of some of them. It serves an attempt as mpirun does where there is MPI.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::runner {

struct StartRanksOptions
{
    fs::path attempt;
    int ranks = 1;                   ///< of the attempt
    std::vector<int> here = {};      ///< those to be started on this host; empty: all
    std::vector<std::string> hosts;  ///< by rank: where each is started, as ssh knows it; empty: here
    std::optional<fs::path> control; ///< for the guards: see guard.h
    std::optional<fs::path> runnerHeartbeat;
    std::vector<std::string> command; ///< a rank's program and its arguments; or, as of GuardOptions, in its place:
    std::optional<fs::path> plan;
    std::string run;
};

/// Returns when all have ended: the code of the first that did not end with 0. Guards and connections end with this
/// process. `agent` is this program.
Result<int> startRanks(const StartRanksOptions& options, const fs::path& agent);

} // namespace ringside::runner
