// SPDX-License-Identifier: MIT
// Asks what this computer's worker has built in. That takes half a second, since it loads torch: the answer is cached
// (cacheFolder()), and holds as long as the files of the worker, of the program that answers where it is a script, and
// of the plug-ins beside that program, the GPUs that the kernel shows, and the variables that choose libraries and GPUs
// are the same.
#pragma once

#include "core/base/files.h"

#include <chrono>
#include <set>
#include <string>

namespace ringside {

/// A worker that loads its libraries from a cold disk needs some seconds to answer.
inline constexpr std::chrono::seconds kFeaturesLimit{20};

enum class Asking
{
    always,   ///< before a launch: a library may have gone since
    ifUnknown ///< only where no cached answer holds; an error is never cached
};

/// SiteLimits::features of `ringside-worker features`, and "gpu" where it sees one. Blocking, at most kFeaturesLimit.
/// Fails with unavailable (there is none, or it does not run) or timeout. Any thread.
Result<std::set<std::string>> workerFeatures(const fs::path& worker, Asking asking);

} // namespace ringside
