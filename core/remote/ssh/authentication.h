// SPDX-License-Identifier: MIT
// Signing in, after the host was verified.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/session.h"

#include <string>

namespace ringside::ssh {

/// Shows the server's greeting. Tries what the server allows, in the order of the settings' methods: keys, of the
/// ssh-agent and of files with their certificates; keyboard-interactive; password. Goes on after a partial success.
/// Returns how it went: "key ~/.ssh/id_ed25519".
///
/// A person's answer is tried once: a refused password is an error. Without `human` nothing that needs one is
/// tried. Fails with permission (refused), needsUser, or what the person answered.
Result<std::string> signIn(Session& session, Interaction* human, std::stop_token stop);

} // namespace ringside::ssh
