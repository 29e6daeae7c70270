// SPDX-License-Identifier: MIT
// The right to carry out a campaign. Exactly one living runner holds it; a provably dead one is succeeded.
#pragma once

#include "agent/runner/procfs.h"

#include <optional>
#include <string>

namespace ringside::runner {

/// What lease-k/owner says.
struct LeaseOwner
{
    ProcessIdentity process;
    std::string job;  ///< the scheduler's job id; empty without a scheduler
    int restarts = 0; ///< how often the scheduler had requeued that job
    bool operator==(const LeaseOwner&) const = default;
};

/// This process, with the job of the environment (SLURM_JOB_ID, SLURM_RESTART_COUNT).
Result<LeaseOwner> thisOwner();

std::string ownerToJson(const LeaseOwner& owner);
Result<LeaseOwner> ownerFromJson(std::string_view text);

/// Whether `owner` still runs, seen by `self`. Dead by /proc, or because the scheduler restarted the same job; never by
/// age.
Life lifeOf(const LeaseOwner& owner, const LeaseOwner& self);

/// Claims the first free lease-k after provably dead ones and returns k. A lease appears with its owner in one rename,
/// so there is none without. Fails with busy, naming the owner, if one lives or cannot be proven dead.
Result<int> claimLease(const fs::path& campaign, const LeaseOwner& self);

/// The owner of the highest lease; nullopt if nobody ever held one.
Result<std::optional<LeaseOwner>> latestOwner(const fs::path& campaign);

} // namespace ringside::runner
