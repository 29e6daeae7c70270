// SPDX-License-Identifier: MIT
// Finds what this computer offers to experiments: cores, memory, mpirun, folders, and what its worker has built in.
#pragma once

#include "core/sites/workerfeatures.h"
#include "core/spec/validate.h"

namespace ringside {

/// Asks /proc, the scheduler's affinity and `ringside-worker features` (workerfeatures.h). Blocking, at most
/// kFeaturesLimit.
/// Values that cannot be learned stay unknown, so that nothing is said about them.
spec::SiteLimits localSite(const fs::path& worker, Asking asking = Asking::always);

/// Returns the answer of “mpirun --version” on this computer; empty where it is not, or does not answer. Blocking for a
/// few hundredths of a second the first time, 10 s at most; then it is known.
const std::string& mpirunVersionHere();

/// Another site, of which nothing is known before it is asked: anything may be there.
spec::SiteLimits unknownSite(const std::string& name);

} // namespace ringside
