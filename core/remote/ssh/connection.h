// SPDX-License-Identifier: MIT
// Turns a route into an open session: every hop is reached, verified and signed in to, one after the other.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/connectstep.h"
#include "core/remote/ssh/session.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::ssh {

/// Blocking; `onStep` (may be empty) is called on this thread.
Result<std::unique_ptr<Session>> connect(const std::vector<HostSettings>& route, Interaction* human,
                                         const std::stop_token& stop, const OnConnectStep& onStep);

} // namespace ringside::ssh
