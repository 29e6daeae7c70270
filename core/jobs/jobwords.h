// SPDX-License-Identifier: MIT
// How a job stands, as sentences that say what it means and what to do.
#pragma once

#include "core/jobs/scheduler.h"

#include <string>
#include <string_view>

namespace ringside::jobs {

/// What the runs of a job say: "Job 4711: Waits for free nodes. Slurm expects it to start at 17:05." while it waits,
/// else `reason`, the relay's sentence, alone. Times of the wall clock, as this computer's clock shows them. A start
/// that is over, or 0, is no guess. `job` is empty before there is one.
std::string noteOf(const Scheduler& scheduler, std::string_view job, JobState state, std::string_view reason,
                   std::int64_t expectedStartNs, std::int64_t nowNs);

/// One sentence about how the job stands or ended.
std::string jobWords(const Scheduler& scheduler, const JobReport& report);

} // namespace ringside::jobs
