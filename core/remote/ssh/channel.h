// SPDX-License-Identifier: MIT
// Commands that run through a session.
#pragma once

#include "core/remote/host.h"
#include "core/remote/ssh/session.h"

#include <memory>

namespace ringside::ssh {

/// Opens a channel for each of the lines and starts it there, all in two round trips; or fails and leaves none. The
/// channels share the session; all of them live in one thread.
Result<std::vector<std::unique_ptr<Channel>>> openChannels(const std::shared_ptr<Session>& session,
                                                           const std::vector<std::string>& shellLines,
                                                           const Deadline& deadline);

} // namespace ringside::ssh
