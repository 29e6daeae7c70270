// SPDX-License-Identifier: MIT
// The guard of one rank (`ringside-agent rank`): separates its output, passes on SIGTERM, ends it when the runner dies,
// and records how it ended; for a system that is not ours also what it prints. Works the same below any launcher and
// a plain fork. On other hosts than the runner's, the guard of the node's first rank acts for the node: it passes on
// orders, and kills what is left.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::runner {

struct GuardOptions
{
    fs::path attempt;                ///< where rank-r.log and rank-r.exit go
    std::optional<int> rank;         ///< else from the launcher's environment
    std::optional<int> ranks;        ///< of the attempt: then the rank finds the others without MPI (rankvariables.h)
    std::optional<fs::path> control; ///< named pipe whose other end the runner holds: for a guard beside it
    std::optional<fs::path> runnerHeartbeat; ///< in its place for guards on other hosts (runnerheartbeat.h)
    std::vector<std::string> command; ///< the rank's program, looked for in PATH, and its arguments; or, in its place:
    fs::path plan;                    ///< what says how a process of its run's system is started,
    std::string run;                  ///< this one
};

/// Runs the command to its end and returns its exit code (128 + signal after a death by signal).
/// Fails only before the command was started.
Result<int> guardRank(const GuardOptions& options);

/// Runs a guard in a process group of its own, for a launcher that kills its processes as soon as one of them aborts:
/// the launcher knows, and kills, only this process; the guard notices that, and lives on to record how its rank ends.
/// Returns the guard's exit code.
Result<int> runApart(const std::vector<std::string>& guard);

} // namespace ringside::runner
