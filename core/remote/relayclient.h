// SPDX-License-Identifier: MIT
// The near end of a relay: starts `ringside-agent relay` on any Host and exchanges messages with it.
#pragma once

#include "core/base/error.h"
#include "core/remote/host.h"
#include "core/wire/messages.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace ringside {

/// Time from starting the relay to its Hello. Covers a cold start from a busy disk.
inline constexpr std::chrono::milliseconds kConnectLimit{10'000};
/// Time for which `send` waits for the relay to read bytes before it counts as gone.
inline constexpr std::chrono::milliseconds kSendLimit{10'000};
/// The relay counts as gone, too, if it reads less of a large message in each kSendLimit.
inline constexpr std::size_t kSlowestBytes = 1u << 20;
/// Time that the relay has to end by itself after its input was closed.
inline constexpr std::chrono::milliseconds kCloseGrace{5'000};

/// Used from one thread, except `wake`. After an error it is of no more use: connect a new one.
/// Errors carry what the relay wrote to standard error.
class RelayClient
{
public:
    /// Starts `relay` there, exchanges the magic and Hello. Blocking, at most `limit`.
    /// `host` must outlive the client.
    static Result<RelayClient> connect(Host& host, const CommandLine& relay,
                                       std::chrono::milliseconds limit = kConnectLimit);
    RelayClient(RelayClient&&) noexcept;
    RelayClient& operator=(RelayClient&&) noexcept;
    /// Closes (see `close`).
    ~RelayClient();

    /// The relay that answered.
    const wire::Hello& peer() const;

    /// Writes one message. Blocking, at most kSendLimit for each kSlowestBytes begun; what arrives meanwhile is queued
    /// for `receive`.
    Result<void> send(const wire::Message& message);

    /// The next message, waiting up to `timeout`; nullopt when none came or `wake` was called.
    Result<std::optional<wire::Message>> receive(std::chrono::milliseconds timeout);

    /// Ends a `receive` that waits, or the next one, at once. Safe from any thread while the client lives.
    void wake();

    /// Closes the relay's input, waits for its end at most kCloseGrace, then kills it. Idempotent.
    void close();

private:
    struct Parts;
    explicit RelayClient(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

/// The command that starts a relay: `<agent> relay --root <root> [--worker <worker>]`.
CommandLine relayCommand(const std::string& agent, const std::string& root, const std::string& worker);

} // namespace ringside
