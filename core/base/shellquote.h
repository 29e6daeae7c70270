// SPDX-License-Identifier: MIT
// A text as one word of a shell command. Only for scripts that people read and run: programs are started by exec.
#pragma once

#include <string>
#include <string_view>

namespace ringside {

/// Means the same to sh, bash, dash, zsh, fish and (without newlines) tcsh. NUL cannot be part of any argument and is
/// dropped.
std::string shellQuote(std::string_view text);

} // namespace ringside
