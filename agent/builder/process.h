// SPDX-License-Identifier: MIT
// Programs that a build runs, all of them until one deadline.
#pragma once

#include "agent/runner/command.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::builder {

/// A moment on the monotonic clock.
struct Deadline
{
    std::int64_t atNs = 0;

    static Deadline in(std::chrono::seconds limit) { return {monotonicNs() + toNs(limit)}; }
    Deadline atMost(std::chrono::seconds limit) const { return {std::min(atNs, in(limit).atNs)}; }
    std::int64_t leftNs() const { return atNs - monotonicNs(); }
};

using runner::Answer;

/// runner::ask() until the deadline, whatever the options' limit: then it fails with timeout, and what to do.
Result<Answer> run(const std::vector<std::string>& command, const Deadline& deadline,
                   runner::CommandOptions options = {.withErrors = true});

/// The last `count` lines as plain text.
std::string lastLines(std::string_view text, std::size_t count);

/// It found no room on a disk, or no more of its user's share of it.
bool saysDiskFull(std::string_view output);

/// The first line of what the program prints; empty if it fails.
std::string firstLineOf(const std::vector<std::string>& command, const Deadline& deadline);

} // namespace ringside::builder
