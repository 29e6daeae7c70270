// SPDX-License-Identifier: MIT
// The way to a host: itself, and those to go through. ssh says what holds for each (askssh.h); where there is
// no ssh, the built-in reader does (config.h).
//
// The answer is read by Ringside and not by libssh: 0.10 knows neither certificates nor several key files, and would
// start `ssh -W` for a jump.
#pragma once

#include "core/remote/ssh/settings.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace ringside::ssh {

/// The hosts to sign in to, one after the other; the last is the target, the others are jumps. `configFile` stands in
/// for the user's and the system's configuration if it is not empty; a relative one, or “~/…”, begins at the home
/// folder. Blocking: as long as the commands of a “Match exec” take, at most kAskLimit for each host. Fails with usage
/// where the configuration is wrong, with unavailable where it asks for what Ringside does not do.
Result<std::vector<HostSettings>> routeTo(const Target& target, const fs::path& configFile,
                                          const std::stop_token& stop);

inline constexpr std::chrono::milliseconds kAskLimit{15'000};

/// Finds what holds for one host.
using SettingsFor = std::function<Result<HostSettings>(const Target&)>;
/// The same by any source.
Result<std::vector<HostSettings>> routeBy(const SettingsFor& settingsFor, const Target& target);

} // namespace ringside::ssh
