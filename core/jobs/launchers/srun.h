// SPDX-License-Identifier: MIT
// srun, which starts the tasks of a job's step: by each kind of PMI that libraries of MPI find their ranks by, or
// without one, where ranks meet by TCP.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

/// `pmi` is "pmix", "pmi2" or "cray_shasta", as Launcher::pmi() names them, or "none". nullptr for another one.
const Launcher* srunWith(std::string_view pmi);

} // namespace ringside::jobs
