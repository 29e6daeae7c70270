// SPDX-License-Identifier: MIT
// Asks ssh itself about a host: the answer of “ssh -G”.
//
// It is asked as a program, never through a shell, with the names after “--”, and from the home folder, so that nothing
// of the current one can have a say. “Match exec” is run by ssh as it always is: from the user's own files only.
#pragma once

#include "core/remote/ssh/configfile.h"
#include "core/remote/ssh/deadline.h"
#include "core/remote/ssh/target.h"
#include "core/remote/ssh/values.h"

namespace ringside::ssh {

/// Returns whether there is an ssh to ask.
bool isSshInstalled();

/// Returns the settings of one target by the user's configuration and the system's, or by `configFile` alone if one is
/// named. Algorithms are included only where the configuration asks for others than ssh's own. Blocking until the
/// deadline. Fails with usage where ssh does not accept its configuration, with permission for a `configFile` that
/// others may write.
Result<Values> askSsh(const Target& target, const fs::path& configFile, const ConfigPlaces& places,
                      const Deadline& deadline);

} // namespace ringside::ssh
