// SPDX-License-Identifier: MIT
// Asking a program for a short answer, with a limit on its time and its words.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <string>
#include <vector>

namespace ringside::relay {

/// Standard output of the command, at most 64 KiB. Fails with unavailable if it cannot be started or ends with another
/// code than 0, with timeout if it is not done within the limit (it is killed then). Blocking.
Result<std::string> ask(const std::vector<std::string>& command, std::chrono::milliseconds limit);

} // namespace ringside::relay
