// SPDX-License-Identifier: MIT
// What may stand in each setting of a job of Slurm's. Pure.
#pragma once

#include "core/jobs/jobsettings.h"

namespace ringside::slurm {

/// Empty if a script can be made of them. What the cluster itself allows is not known here.
std::vector<jobs::SettingProblem> problemsOf(const jobs::JobSettings& settings);

} // namespace ringside::slurm
