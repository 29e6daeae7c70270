// SPDX-License-Identifier: MIT
// Without MPI: `ringside-agent ranks` starts a guard a rank here, or by ssh itself on each host, which does. Ranks meet
// by TCP.
#pragma once

#include "core/jobs/launcher.h"

namespace ringside::jobs {

const Launcher& agentStarter();

} // namespace ringside::jobs
