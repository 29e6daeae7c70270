// SPDX-License-Identifier: MIT
// Slurm's srun, which starts the tasks of a job's step: by each kind of PMI that libraries of MPI find their ranks by,
// or without one, where ranks meet by TCP.
#pragma once

#include "core/jobs/launcher.h"

#include <span>

namespace ringside::slurm {

/// srun, by each kind of PMI and without one.
std::span<const jobs::Launcher* const> srunLaunchers();

} // namespace ringside::slurm
