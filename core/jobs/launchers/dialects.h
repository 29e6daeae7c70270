// SPDX-License-Identifier: MIT
// The launchers of the table, each in a file of its own beside this one.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

extern const Launcher& kAgentStarter;
extern const Launcher& kOpenMpi4;
extern const Launcher& kOpenMpi5;
extern const Launcher& kMpich;
extern const Launcher& kIntelMpi;
extern const Launcher& kPals;
/// `pmi` is "pmix", "pmi2" or "cray_shasta", as Launcher::pmi() names them, or "none". nullptr for another one.
const Launcher* srunWith(std::string_view pmi);

} // namespace ringside::jobs
