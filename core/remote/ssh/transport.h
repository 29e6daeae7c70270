// SPDX-License-Identifier: MIT
// The socket under a session: a TCP connection, or a tunnel through another session (tunnel.h).
#pragma once

#include "core/base/descriptor.h"
#include "core/remote/ssh/deadline.h"
#include "core/remote/ssh/settings.h"

#include <memory>
#include <poll.h>
#include <string>
#include <vector>

namespace ringside::ssh {

class Transport
{
public:
    virtual ~Transport() = default;
    /// Non-blocking; owned here. libssh gets one of its own for it (session.h).
    virtual int fd() const = 0;
    /// Moves what waits on the way. Never blocks.
    virtual void pump() {}
    /// Adds what has to be polled for `pump`, besides fd().
    virtual void addPolls(std::vector<pollfd>&) const {}
    /// Returns why it carries nothing any more; empty if that is not known.
    virtual std::string problem() const { return {}; }
};

/// Tries every address of the settings' host that is of their family. Looking the name up, and each address, may take
/// as long as their connectLimit; an address before the last, 4 s at most.
Result<std::unique_ptr<Transport>> connectTcp(const HostSettings& settings, const std::stop_token& stop);

} // namespace ringside::ssh
