// SPDX-License-Identifier: MIT
// mpirun of MPICH, and of Intel MPI, whose process manager is a descendant of MPICH's Hydra.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

const Launcher& mpich();
const Launcher& intelMpi();

} // namespace ringside::jobs
