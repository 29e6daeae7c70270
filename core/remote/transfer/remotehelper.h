// SPDX-License-Identifier: MIT
// The command that watches over one transfer on the other side, and the words exchanged with it.
#pragma once

#include "core/remote/transfer/transfer.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::transfer {

/// A transfer fails after so long without progress.
inline constexpr std::chrono::milliseconds kSilenceLimit{30'000};
/// Time that a site may need to read a file again, on a busy network disk, for its checksum.
std::chrono::milliseconds verifyLimit(std::uint64_t bytes);

class RemoteHelper
{
public:
    /// Starts `sh -c script sh MARK arguments…`. Text that the script prints after MARK in a line is meant for us;
    /// anything else is what login shells print.
    static Result<RemoteHelper> start(Host& host, const char* script, std::vector<std::string> arguments);

    /// Lets a script that waits for a word clean up.
    ~RemoteHelper();
    RemoteHelper(RemoteHelper&&) noexcept = default;
    RemoteHelper& operator=(RemoteHelper&&) noexcept = default;

    /// Fails when the command has ended, with its reason, and when it goes on talking.
    Result<void> check();
    /// The next line after MARK. Fails with what the command printed when it ends instead.
    Result<std::string> readLine(std::chrono::milliseconds limit, const std::stop_token& stop);
    /// A line for the script.
    Result<void> writeLine(const std::string& line);

private:
    RemoteHelper(std::unique_ptr<Channel> channel, std::string mark, std::string host);
    Result<bool> listen();
    Error noise() const;
    std::optional<std::string> takeLine();
    Error reason();

    std::unique_ptr<Channel> m_channel;
    std::string m_mark;
    std::string m_host;
    std::string m_received;
};

/// Turns a command's complaint into an error: noSpace, permission, unavailable, else io. `doing`: "Copying x to alder".
Error complaint(const std::string& doing, const std::string& said);

} // namespace ringside::transfer
