// SPDX-License-Identifier: MIT
// The right to carry out a campaign, or to change what a folder holds. Exactly one living process has it; a provably
// dead one is succeeded.
#pragma once

#include "agent/runner/procfs.h"
#include "core/jobs/scheduler.h"

#include <functional>
#include <optional>
#include <string>

namespace ringside::runner {

/// The contents of lease-k/owner.
struct LeaseOwner
{
    ProcessIdentity process;
    std::string job;                            ///< the scheduler's job id; empty without a scheduler
    int restarts = 0;                           ///< how often the scheduler had requeued that job
    std::string cluster = {};                   ///< whose scheduler that is; two clusters may share a folder
    const jobs::Scheduler* scheduler = nullptr; ///< of the job; none: without one, or, of an older version, the usual
    bool operator==(const LeaseOwner&) const = default;

    /// The scheduler's id of the job, or the process's own without one.
    std::string jobId() const { return job.empty() ? process.jobId() : job; }
};

/// This process, with the job of its environment.
Result<LeaseOwner> thisOwner();

std::string ownerToJson(const LeaseOwner& owner);
Result<LeaseOwner> ownerFromJson(std::string_view text);

/// The scheduler of an owner in a job.
const jobs::Scheduler& schedulerOf(const LeaseOwner& owner);

/// Tests whether `owner` still runs, seen by `self`. Dead by /proc, because the scheduler restarted the same job, or
/// because it says that another one is over, and is that of the owner's cluster; never by age. Blocking, at most 20 s,
/// where the scheduler has to be asked.
Life lifeOf(const LeaseOwner& owner, const LeaseOwner& self);

/// Returns whether the owner of this lease (a folder) counts as dead although that cannot be proven.
using IsOver = std::function<bool(const fs::path& lease)>;

/// Claims the first free lease-k after provably dead ones and returns k. A lease appears with its owner in one rename,
/// so there is none without. Fails with busy, naming the owner, if one lives or cannot be proven dead, unless `isOver`.
Result<int> claimLease(const fs::path& campaign, const LeaseOwner& self, const IsOver& isOver = {});

/// The file in a lease that names its owner.
fs::path ownerFile(const fs::path& lease);

/// Fails with notFound where there is no such lease.
Result<LeaseOwner> readOwner(const fs::path& lease);

/// Fails as claimLease, without a claim, if there is a lease and its owner is not dead, and does not count as dead.
Result<void> mustBeFree(const fs::path& campaign, const LeaseOwner& self, const IsOver& isOver = {});

/// The owner of the highest lease; nullopt if there is none.
Result<std::optional<LeaseOwner>> latestOwner(const fs::path& campaign);

/// Ends a lease of this process, in one step, so that none is ever seen without its owner. It stays where there is the
/// `next` one, of a successor that may have come a moment ago.
void releaseLease(const fs::path& lease, const fs::path& next = {});

} // namespace ringside::runner
