// SPDX-License-Identifier: MIT
// The one way to start a program: without a shell, with nothing of this process's but what is named. The demo card has
// QProcess instead, for the window's thread must not wait. Any thread may call; the caller waits for the end (waitpid).
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside {

struct ChildStart
{
    enum class Group
    {
        ours,   ///< Ctrl+C at our terminal is for it, too
        own,    ///< a process group, so that all of it can be killed
        session ///< and no terminal
    };

    /// The program first: a path, or a name to be found in $PATH.
    std::vector<std::string> arguments = {};
    /// "NAME=value"; absent: this process's.
    std::optional<std::vector<std::string>> environment = {};
    fs::path folder = {}; ///< to start in; empty: this process's
    /// Its standard streams, by descriptors of this process; /dev/null for -1, and for one that is not open.
    int input = -1, output = -1, errors = -1;
    Group group = Group::own;
    int deathSignal = 0;              ///< it gets this once the thread that started it has ended; 0: it lives on
    bool inheritsDescriptors = false; ///< also those above the standard streams that are not marked close-on-exec
};

/// Returns once the program runs: its pid. No signal is blocked in it, and neither SIGPIPE, SIGHUP nor SIGCHLD ignored.
/// Fails with unavailable if the program or the folder is not there, or no process can be made.
Result<pid_t> startChild(const ChildStart& start);

/// Waits for the end of a child: as exitCodeOf(); -1 if that is not known.
int awaitChild(pid_t child);

/// To be called first of all in a program that waits for its children. A parent that ignores SIGCHLD, as some window
/// managers do, hands that on, and the kernel would keep no child's end.
void heedEndsOfChildren();

/// Converts a wait status to the exit code, or 128 + signal, as a shell says it.
int exitCodeOf(int waitStatus);

} // namespace ringside
