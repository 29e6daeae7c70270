// SPDX-License-Identifier: MIT
// States, reasons and refusals of Slurm as sentences that say what it means and what to do.
#pragma once

#include "core/base/error.h"
#include "core/jobs/slurm/jobreport.h"

#include <string>
#include <string_view>

namespace ringside::slurm {

/// Why a job waits: "Waits for free nodes." for "Resources". A reason that is not known here is quoted.
std::string pendingWords(std::string_view reason);

/// What the runs of a job say: "Job 4711: Waits for free nodes. Slurm expects it to start at 17:05." while it waits,
/// else `reason`, the relay's sentence, alone. Times of the wall clock, as this computer's clock shows them. A start
/// that is over, or 0, is no guess. `job` is empty before there is one.
std::string noteOf(std::string_view job, JobState state, std::string_view reason, std::int64_t expectedStartNs,
                   std::int64_t nowNs);

/// One sentence about how the job stands or ended.
std::string jobWords(const JobReport& report);

/// What sbatch wrote to standard error when it refused a job, as an error: unavailable if trying again may help, else
/// usage.
Error refusal(std::string_view sbatchErrors);

} // namespace ringside::slurm
