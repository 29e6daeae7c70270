// SPDX-License-Identifier: MIT
// A program on this computer that is asked for a short answer.
#pragma once

#include "core/remote/host.h"

#include <chrono>
#include <string>

namespace ringside {

struct ShortAnswer
{
    int exitCode = 0;
    std::string output; ///< at most 256 KiB
    std::string errors;
};

/// Blocking, no longer than `limit`. Fails with timeout, or with what starting it fails with.
Result<ShortAnswer> answerOf(const CommandLine& command, std::chrono::milliseconds limit);

} // namespace ringside
