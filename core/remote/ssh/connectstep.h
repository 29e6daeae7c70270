// SPDX-License-Identifier: MIT
// Reports a connection's progress.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace ringside::ssh {

/// A step that was done, for the connection test.
struct ConnectStep
{
    enum class Kind
    {
        reach,
        hostKey,
        signIn,
    };
    Kind kind = Kind::reach;
    std::string host;  ///< of this hop
    std::string found; ///< "OpenSSH_9.2p1", "ssh-ed25519 SHA256:…", "key ~/.ssh/id_ed25519"; empty if it failed
    std::chrono::milliseconds took{0};
    bool ok = false;
    bool isJump = false; ///< of a host on the way, not of the target
};
using OnConnectStep = std::function<void(const ConnectStep&)>;

} // namespace ringside::ssh
