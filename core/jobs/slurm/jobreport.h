// SPDX-License-Identifier: MIT
// What squeue and sacct say about jobs. Text in, values out; whatever the text, it is read without harm. Pure.
#pragma once

#include "core/base/ids.h"
#include "core/protocol/jobstate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::slurm {

struct JobReport
{
    std::string id; ///< digits
    JobState state = JobState::unknown;
    std::string reason;                      ///< Slurm's word: "Resources"; empty for none
    std::optional<std::int64_t> secondsLeft; ///< until the limit; nullopt without one, or where it is not said
    std::string nodes;                       ///< "n[1-3]"; empty before the start
    std::optional<CampaignId> campaign;      ///< by the job's comment
    /// Of one that waits: when Slurm expects it to start, in seconds since 1970; nullopt where it has no idea.
    std::optional<std::int64_t> expectedStart = {};
    bool operator==(const JobReport&) const = default;
};

/// Up to ten digits: the id of a job that is no part of an array or of a heterogeneous job.
bool isJobId(std::string_view text);

/// All jobs of a user in one question, those included that ended within MinJobAge.
std::vector<std::string> queueCommand(unsigned userId);
/// One job.
std::vector<std::string> queueCommand(const std::string& job);
/// Jobs that the queue has forgotten; only where accounting is on.
std::vector<std::string> accountingCommand(const std::vector<std::string>& jobs);

/// Their answers. Records that are no report of a job are left out. Slurm writes times as this machine's clock shows
/// them.
std::vector<JobReport> parseQueue(std::string_view text);
std::vector<JobReport> parseAccounting(std::string_view text);

/// The campaign's job: the one that lives, else the one of this id, else the latest. nullptr if none is its.
const JobReport* jobOf(const std::vector<JobReport>& reports, const CampaignId& campaign, const std::string& job);

/// squeue's word for "the queue does not know that job": then it ended longer than MinJobAge ago, or never was.
bool saysUnknownJob(std::string_view errorText);

} // namespace ringside::slurm
