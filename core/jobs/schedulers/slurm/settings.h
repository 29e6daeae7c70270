// SPDX-License-Identifier: MIT
// Checks each setting of a job of Slurm's.
#pragma once

#include "core/jobs/jobsettings.h"

#include <vector>

namespace ringside::slurm {

/// Empty if a script can be made of them. The limits of the cluster itself are not known here.
std::vector<jobs::SettingProblem> settingProblems(const jobs::JobSettings& settings);

} // namespace ringside::slurm
