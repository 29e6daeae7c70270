// SPDX-License-Identifier: MIT
// This computer as a site: what it offers to experiments (cores, memory, mpirun, folders, and what its worker has built
// in), and how it carries campaigns out.
#pragma once

#include "core/sites/readysite.h"
#include "core/sites/workerfeatures.h"
#include "core/spec/validate.h"

namespace ringside {

/// Asks /proc, the scheduler's affinity and `ringside-worker features` (workerfeatures.h). Blocking, at most
/// kFeaturesLimit.
/// Values that cannot be learned stay unknown, so that nothing is checked about them.
spec::SiteLimits localSite(const fs::path& worker, Asking asking = Asking::always);

struct LocalPaths
{
    fs::path root;
    fs::path agent;
    fs::path worker;
};

/// Ready at once: nothing has to be brought or built. Asks mpirun for its version, where there is one: blocking, 10 s
/// at most, and only the first time.
ReadySite readyLocalSite(const LocalPaths& paths);

/// Sets the systems of a site: those that it has, and those whose interpreters are gone.
void setEngines(spec::SiteLimits& site, const InstalledEngines& installed);

/// Another site, of which nothing is known before it is asked: anything may be there.
spec::SiteLimits unknownSite(const std::string& name);

} // namespace ringside
