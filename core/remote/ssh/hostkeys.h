// SPDX-License-Identifier: MIT
// Verifies that this is the host we know. Done after the first exchange and before anything else is sent.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/session.h"

#include <string>

namespace ringside::ssh {

/// The host key algorithms to ask for: those of the keys on record first, so that a host that has several shows one
/// that we know. Empty if none is on record.
std::string preferredHostKeys(const HostSettings& settings);

/// Compares the server's key with the known_hosts files. A known one passes; an unknown one is asked about, and stored
/// if the person trusts it; a changed one, one of another type than those on record, and a revoked one are refused.
/// Returns the key: "ssh-ed25519 SHA256:…".
/// Fails with permission (refused), cancelled (not trusted), needsUser (unknown, and `human` is null).
Result<std::string> verifyHostKey(Session& session, Interaction* human);

} // namespace ringside::ssh
