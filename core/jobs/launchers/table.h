// SPDX-License-Identifier: MIT
// All launchers that there are. A further one: core/jobs/README.md.
#pragma once

#include "core/jobs/launcher.h"

#include <span>

namespace ringside::jobs {

/// Libraries of MPI before the launchers of schedulers, which may have started their own helpers.
std::span<const Launcher* const> launchers();

/// The launcher of whichever MPI is there: so plans and sites may leave open which. The word of a
/// scheduler (Scheduler::launcher) leaves the kind of PMI open.
inline constexpr std::string_view kLauncherOfMpi = "mpirun";
/// The agent itself; in a job the scheduler's launcher without MPI.
inline constexpr std::string_view kLauncherWithoutMpi = "direct";

/// The one that a plan's or a site's word means in that place, where Open MPI 4 is meant if its version is not known.
/// nullptr for a word that is none.
const Launcher* launcherFor(std::string_view word, const AttemptPlace& place);
/// Returns whether the answer of “mpirun --version” matters to that word.
bool dependsOnMpi(std::string_view word);

} // namespace ringside::jobs
