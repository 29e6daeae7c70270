// SPDX-License-Identifier: MIT
// A scheduler's report about a job.
#pragma once

#include "core/base/ids.h"
#include "core/protocol/jobstate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::jobs {

struct JobReport
{
    std::string id; ///< as Scheduler::isJobId() has it
    JobState state = JobState::unknown;
    std::string reason;                      ///< the scheduler's word: "Resources"; empty for none
    std::optional<std::int64_t> secondsLeft; ///< until the limit; nullopt without one, or where it is not reported
    std::string nodes;                       ///< in the scheduler's form: "n[1-3]"; empty before the start
    std::optional<CampaignId> campaign;      ///< by the job's tag
    /// For one that waits: when the scheduler expects it to start, in seconds since 1970; nullopt where it has no idea.
    std::optional<std::int64_t> expectedStart = {};
    bool operator==(const JobReport&) const = default;
};

/// Neither started nor over.
bool waits(JobState state);

/// The campaign's job: the one that lives, else the one of this id, else the latest. nullptr if none is its.
const JobReport* jobOf(const std::vector<JobReport>& reports, const CampaignId& campaign, const std::string& job);

/// Marks a job with the campaign that it belongs to, in its comment or name: "ringside:<uuid>". By it a job is found
/// whose id was not noted.
std::string tagOf(const CampaignId& campaign);
/// nullopt for a text that is no campaign's tag.
std::optional<CampaignId> campaignOf(std::string_view tag);

} // namespace ringside::jobs
