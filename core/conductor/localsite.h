// SPDX-License-Identifier: MIT
// What this computer offers to experiments: cores, memory, mpirun, folders, and what its worker has built in.
#pragma once

#include "core/base/files.h"
#include "core/spec/validate.h"

#include <chrono>

namespace ringside {

/// A worker that loads its libraries from a cold disk needs some seconds to answer.
inline constexpr std::chrono::seconds kFeaturesLimit{20};

/// Asks /proc, the scheduler's affinity and `ringside-worker features`. Blocking, at most kFeaturesLimit.
/// What cannot be learned stays unknown, so that nothing is said about it.
spec::SiteLimits localSite(const fs::path& worker);

/// Another site, of which nothing is known before it is asked: anything may be there.
spec::SiteLimits unknownSite(const std::string& name);

} // namespace ringside
