// SPDX-License-Identifier: MIT
// Starts an attempt's first process, and checks before what would make that fail.
#pragma once

#include "core/base/descriptor.h"
#include "core/jobs/attempts/attemptcommand.h"
#include "core/protocol/reason.h"

#include <sys/types.h>

namespace ringside::runner {

/// Fails if the worker or its launcher cannot be executed. A worker behind a launch prefix may lie where only that sees
/// it.
OrReason<void> checkPrograms(const CampaignPlan& plan, const RunSpec& run, const jobs::SitePaths& paths,
                             const jobs::AttemptCommand& command);

/// Lets the processes to be started open as many files as they need. Fails where that is too few for the processes of a
/// run on this computer: mpirun then waits for ranks that it could not start.
OrReason<void> allowFiles(const RunSpec& run, std::size_t hosts);

/// To append to. The caller closes it.
Result<Descriptor> openLog(const fs::path& path);

/// /dev/shm, or the temporary base where that is too small for the ranks' buffers; then a line in `log` says so.
fs::path sharedMemoryBase(const RunSpec& run, const fs::path& log);

/// For what the system refuses to an attempt: a folder, a pipe, a process.
Reason becauseNotStarted(const Error& error);
/// The same where that was to be written into `folder`: why::kNoSpace if its disk is full.
Reason becauseUnwritten(const fs::path& folder, const Error& error);

/// Starts the command in a session of its own, output appended to `log`, no input, killed if this process dies.
/// Returns its pid. Fails with unavailable if it cannot be started.
Result<pid_t> startSession(const jobs::AttemptCommand& command, const fs::path& log);

} // namespace ringside::runner
