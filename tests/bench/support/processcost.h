// SPDX-License-Identifier: MIT
// A process's cost, as read from /proc.
#pragma once

#include "core/base/files.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace ringside::bench {

/// The process of ringside-agent with this word and this one on its command line: "relay" and its root.
std::optional<pid_t> agentWith(const std::string& word, const std::string& other);

/// Seconds of user and system time so far (/proc/PID/stat: in steps of 10 ms).
double cpuSeconds(pid_t pid);
/// Most memory that was ever resident, MB.
double peakMegabytes(pid_t pid);
/// Resident now, MB.
double residentMegabytes(pid_t pid);

} // namespace ringside::bench
