// SPDX-License-Identifier: MIT
// A command as the one line that SSH can carry, which the login shell over there splits again.
#pragma once

#include "core/base/error.h"
#include "core/remote/commandline.h"

#include <string>

namespace ringside::ssh {

/// The kernel's limit for one argument of a program (MAX_ARG_STRLEN): the line is one, of `shell -c`.
inline constexpr std::size_t kMaxShellLineBytes = (128u << 10) - 1;

/// Read alike by sh, bash, dash, zsh, fish, tcsh and rbash. A word with a newline, which tcsh does not read in quotes,
/// goes through printf of sh. Fails with usage for a NUL byte, an empty command, or too long a line.
Result<std::string> shellLine(const CommandLine& command);

} // namespace ringside::ssh
