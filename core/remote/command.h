// SPDX-License-Identifier: MIT
// Commands that end by themselves: started on any Host, fed, waited for.
#pragma once

#include "core/remote/host.h"

namespace ringside {

/// At most this much of a command's standard output is read; more is an error.
inline constexpr std::size_t kMaxOutputBytes = 1u << 20;

struct Finished
{
    int exitCode = 0;
    std::string output; ///< bytes from elsewhere: not checked
    std::string errors; ///< plain text
};

/// Runs a POSIX shell script there: `sh -s` with the script on standard input, so that no login shell reads any of it.
/// Waits for its end. Blocking, at most `limit` without progress in either direction. The exit code says whether it
/// succeeded; errors are those of the connection.
Result<Finished> runScript(Host& host, const std::string& script, std::chrono::milliseconds limit);

} // namespace ringside
