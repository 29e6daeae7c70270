// SPDX-License-Identifier: MIT
// Signing in at an sshd of the test, with keys made for it.
#pragma once

#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"

#include <string>
#include <vector>

namespace ringside::test {

/// Returns how the sign-in went, as the connection test shows it.
inline std::string howOf(SshHost& host, Interaction* human)
{
    std::string how;
    const auto connected = host.connect(human, {}, [&](const ssh::ConnectStep& step) {
        if (step.kind == ssh::ConnectStep::Kind::signIn)
            how = step.found;
    });
    return connected ? how : "failed: " + connected.error().text();
}

inline void makeKey(const Sshd& sshd, const std::string& name, const std::string& options = "-t ed25519 -N ''")
{
    shell(fmt::format("ssh-keygen -q {} -C {} -f {}", options, name, sshd.file(name).string()));
}

inline void letIn(const Sshd& sshd, const std::vector<std::string>& keys)
{
    shell(fmt::format(": > {}", sshd.file("authorized_keys").string()));
    for (const std::string& key : keys)
        shell(fmt::format("cat {}.pub >> {}", sshd.file(key).string(), sshd.file("authorized_keys").string()));
}

} // namespace ringside::test
