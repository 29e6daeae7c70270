// SPDX-License-Identifier: MIT
// A stream to a further host through a channel of an open session (direct-tcpip), as a socket for the next session.
#pragma once

#include "core/remote/ssh/session.h"

#include <memory>

namespace ringside::ssh {

/// Asks the host of `session` to connect to `host`. The tunnel owns that session.
Result<std::unique_ptr<Transport>> openTunnel(std::unique_ptr<Session> session, const std::string& host, int port,
                                              const Deadline& deadline);

} // namespace ringside::ssh
