// SPDX-License-Identifier: MIT
// The names of Slurm's variables in the environment of a job.
#pragma once

#include "core/jobs/scheduler.h"

#include <string_view>

namespace ringside::slurm {

const jobs::JobVariables& jobVariables();

/// Returns whether this variable changes what sbatch does, whatever the script says.
bool changesSubmission(std::string_view name);

} // namespace ringside::slurm
