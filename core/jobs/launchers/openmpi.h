// SPDX-License-Identifier: MIT
// mpirun of Open MPI 4 (ORTE), and of 5 and later (PRRTE), whose words differ.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

const Launcher& openMpi4();
const Launcher& openMpi5();

} // namespace ringside::jobs
