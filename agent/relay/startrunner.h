// SPDX-License-Identifier: MIT
// Starts a campaign's runner so that it outlives the process that asked for it.
#pragma once

#include "agent/runner/lease.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/protocol/reason.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside::relay {

/// The state of a campaign's runner.
struct RunnerState
{
    runner::Life life = runner::Life::dead; ///< unknown for one in a job: its scheduler knows
    std::string job;                        ///< of the latest runner; empty if there was none
    bool everStarted = false;
    const jobs::Scheduler* scheduler = nullptr; ///< the latest runner was in a job of it
    bool ended = false;                         ///< the campaign is over
    Reason note;                                ///< why it is held, or how it ended
    std::vector<std::pair<RunId, int>> open;    ///< attempts that have no end yet
};

Result<RunnerState> runnerState(const fs::path& campaign);

/// Starts `agent run <campaign>` in its own session, its output in the campaign's runner.log, no descriptor inherited.
/// Waits until it holds the lease, for Limits::claim at most. Fails with what it printed if it does not come to that;
/// it does not run any more then.
Result<RunnerState> startRunner(const fs::path& campaign, const fs::path& agent);

} // namespace ringside::relay
