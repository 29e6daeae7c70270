// SPDX-License-Identifier: MIT
// The part of a cluster that a scheduler has given to the job that this process runs in.
#pragma once

#include "agent/runner/procfs.h"
#include "core/base/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::runner {

struct Allocation
{
    std::string job;
    std::vector<std::string> hosts;     ///< its nodes as the scheduler calls them, this one first
    std::optional<std::int64_t> endsNs; ///< of its time, on this host's monotonic clock; nullopt: no limit, or unknown
};

/// nullopt outside of a job. Asks the scheduler for the end; blocking, at most 10 s.
/// Fails with damaged if the job's own description cannot be read.
Result<std::optional<Allocation>> thisAllocation();

/// Whether a job still runs, or could run again, by the word of the scheduler; unknown if that does not answer.
/// Blocking, at most 10 s.
Life lifeOfJob(const std::string& job);

/// The campaign's job is submitted by a person, who has the path of its script: Ringside only looks for that job.
bool isSubmittedByHand(const fs::path& campaign);

} // namespace ringside::runner
