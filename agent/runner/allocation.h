// SPDX-License-Identifier: MIT
// The part of a cluster that a scheduler has allocated to this process's job.
#pragma once

#include "agent/runner/procfs.h"
#include "core/base/files.h"
#include "core/jobs/schedulers/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::runner {

struct Allocation
{
    const jobs::Scheduler* scheduler;
    std::string job;
    std::vector<std::string> hosts;     ///< its nodes as the scheduler calls them, this one first
    std::optional<std::int64_t> endsNs; ///< of its time, on this host's monotonic clock; nullopt: no limit, or unknown
};

/// nullopt outside of a job. Asks its scheduler for the end; blocking, at most 10 s.
/// Fails with damaged if the job's own description cannot be read.
Result<std::optional<Allocation>> thisAllocation();

/// A shell that was started in a job, and keeps its variables, may outlive it: what is begun there then is in no job.
/// Removes the variables of a job that is over from this process. Asks its scheduler; blocking, at most 10 s.
void forgetEndedJob();

/// The scheduler whose job this process runs in; nullptr outside of a job.
const jobs::Scheduler* thisScheduler();

/// Asks the scheduler whether a job still runs, or could run again; unknown if it does not answer. Blocking, at most 10
/// s.
Life lifeOfJob(const jobs::Scheduler& scheduler, const std::string& job);

/// The name of the cluster whose scheduler answers this machine; empty if it does not say. Blocking, at most 10 s.
std::string clusterHere(const jobs::Scheduler& scheduler);

/// The submitter of the campaign to its scheduler, as noted in its folder.
/// Fails with usage for a scheduler that is not known here.
Result<jobs::Submitter> submitterOf(const fs::path& campaign);

} // namespace ringside::runner
