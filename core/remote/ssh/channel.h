// SPDX-License-Identifier: MIT
// A command that runs through a session.
#pragma once

#include "core/remote/host.h"
#include "core/remote/ssh/session.h"

#include <memory>

namespace ringside::ssh {

/// Opens a channel and starts `shellLine` in it. The channel shares the session; all of them live in one thread.
Result<std::unique_ptr<Channel>> openChannel(std::shared_ptr<Session> session, const std::string& shellLine,
                                             const Deadline& deadline);

} // namespace ringside::ssh
