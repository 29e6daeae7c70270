// SPDX-License-Identifier: MIT
// A machine on which commands can be started: this computer, or one behind SSH.
#pragma once

#include "core/base/error.h"
#include "core/remote/commandline.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// At most this much of a command's standard error is stored for messages; the rest is read and dropped.
inline constexpr std::size_t kMaxErrorTextBytes = 32u << 10;

/// A started command and its three streams. No call waits unless it says so. Used from one thread.
class Channel
{
public:
    /// Ends the command if it still runs (see `close`).
    virtual ~Channel() = default;

    /// Bytes of standard output that are there now, at most `limit`; empty if there are none.
    virtual Result<std::string> read(std::size_t limit) = 0;
    /// True once standard output was read to its end.
    virtual bool atEnd() const = 0;
    /// Writes bytes to standard input and returns how many were accepted. Fails with io when the command closed it.
    virtual Result<std::size_t> write(std::string_view bytes) = 0;
    /// Ends standard input; what the command still prints can be read. Idempotent.
    virtual void endInput() = 0;
    /// Returns what to poll before reading, and before writing too if `wantWrite`. Standard error is among it.
    virtual std::vector<pollfd> pollSet(bool wantWrite) const = 0;
    /// Standard error so far as plain text, cut at kMaxErrorTextBytes.
    virtual std::string errorText() = 0;
    /// Closes standard input, waits up to `grace` for the command to end by itself, then kills it. Idempotent.
    /// Returns its exit code (128 + signal after a death by signal).
    virtual int close(std::chrono::milliseconds grace) = 0;
};

class Host
{
public:
    virtual ~Host() = default;
    /// As messages name it: "this computer", "login.cluster.edu".
    virtual std::string name() const = 0;
    /// The quickest so far; zero where there is no network between.
    virtual std::chrono::nanoseconds roundTrip() const { return {}; }
    /// Starts a command there. Fails with unavailable if it cannot be started.
    virtual Result<std::unique_ptr<Channel>> start(const CommandLine& command) = 0;
    /// Starts several, or none, in the time of one where that can be.
    virtual Result<std::vector<std::unique_ptr<Channel>>> startAll(const std::vector<CommandLine>& commands)
    {
        std::vector<std::unique_ptr<Channel>> channels;
        for (const CommandLine& command : commands) {
            TRY_ASSIGN(channels.emplace_back(), start(command));
        }
        return channels;
    }
};

} // namespace ringside
