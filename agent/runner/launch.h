// SPDX-License-Identifier: MIT
// Starting an attempt's first process, and the checks that make a failure to start a sentence.
#pragma once

#include "core/jobs/attemptcommand.h"

#include <sys/types.h>

namespace ringside::runner {

/// Fails with unavailable, and what to do, if the worker or mpirun cannot be executed.
Result<void> checkPrograms(const CampaignPlan& plan, const RunSpec& run, const jobs::SitePaths& paths);

/// /dev/shm, or `instead` where that is too small for the ranks' buffers; then a line in `log` says so.
fs::path sharedMemoryFor(const RunSpec& run, const fs::path& instead, const fs::path& log);

/// Starts the command in a session of its own, output appended to `log`, no input, ended by SIGTERM if this process
/// dies. Returns its pid. Fails with unavailable if it cannot be executed.
Result<pid_t> startSession(const jobs::AttemptCommand& command, const fs::path& log);

} // namespace ringside::runner
