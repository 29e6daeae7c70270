// SPDX-License-Identifier: MIT
// mpiexec of HPE Cray's Parallel Application Launch Service.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

const Launcher& pals();

} // namespace ringside::jobs
