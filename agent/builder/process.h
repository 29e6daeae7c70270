// SPDX-License-Identifier: MIT
// Programs that a build runs: their output by lines, with a limit on their time.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::builder {

/// A moment on the monotonic clock.
struct Deadline
{
    std::int64_t atNs = 0;

    static Deadline in(std::chrono::seconds limit) { return {monotonicNs() + std::chrono::nanoseconds(limit).count()}; }
    Deadline atMost(std::chrono::seconds limit) const { return {std::min(atNs, in(limit).atNs)}; }
    std::int64_t leftNs() const { return atNs - monotonicNs(); }
};

struct Command
{
    std::vector<std::string> arguments; ///< the program first, looked for in PATH
    fs::path folder = {};               ///< where it runs; empty: here
    bool withErrors = true;             ///< standard error is part of the output
    /// Asked every half second, and at each piece of output: an error ends the program, and is what comes of it.
    std::function<Result<void>()> look = {};
};

struct Ended
{
    int exitCode = 0;   ///< 128 + signal after a death by signal
    std::string output; ///< its last 256 KiB

    bool good() const { return exitCode == 0; }
    /// The last `count` lines of output as plain text.
    std::string lastLines(std::size_t count) const;
};

using OnLine = std::function<void(std::string_view)>;

/// Runs the program to its end; its standard input is empty, and it dies with us. Fails with unavailable if it is not
/// there, with timeout (it and what it started are killed) if it has not ended at the deadline.
Result<Ended> run(const Command& command, const Deadline& deadline, const OnLine& onLine = {});

/// The first line of what the program prints; empty if it fails.
std::string firstLineOf(const std::vector<std::string>& command, const Deadline& deadline);

} // namespace ringside::builder
