// SPDX-License-Identifier: MIT
// The stream between relay and app: a magic, then one checksummed block per message. Layout: PROTOCOL.md beside this
// file.
#pragma once

#include "core/base/error.h"
#include "core/wire/messages.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::wire {

/// The cursors of 10,000 runs of 32 ranks, with those of their logs.
inline constexpr std::uint32_t kMaxFrameBytes = 128u << 20;
/// Limit of what a login shell may print before the magic. More is not a greeting but the wrong program.
inline constexpr std::size_t kMaxNoiseBytes = 1u << 20;
/// The advised size of FileChunk::bytes: small enough that a reply never waits long behind it.
inline constexpr std::size_t kChunkBytes = 256u << 10;

/// Turns messages into the bytes of one direction of a stream. Not thread-safe; no I/O.
class FrameWriter
{
public:
    /// The frame, behind the magic the first time. Fails with usage for a message above kMaxFrameBytes or without a
    /// place in the format; the stream stays good.
    Result<std::string> write(const Message& message);

private:
    bool m_started = false;
};

/// The bytes of one direction back into messages. A state machine over partial input; not thread-safe; no I/O.
/// Holds at most one frame. After an error it stays in error: the connection is of no more use.
class FrameReader
{
public:
    /// Calls `onMessage` for each whole message. Fails with damaged, or with unavailable if no magic comes.
    Result<void> feed(std::string_view bytes, const std::function<void(Message&&)>& onMessage);

    /// True once the magic was seen.
    bool started() const { return m_state == State::frames; }
    /// The last 2,000 bytes before the magic, as safe text: what a shell printed, for a message about a failed start.
    std::string noise() const;

private:
    enum class State
    {
        noise,
        frames,
        failed
    };

    Result<std::string_view> skipNoise(std::string_view bytes);
    void keepNoise(std::string_view bytes);
    Result<void> readFrames(const std::function<void(Message&&)>& onMessage);

    State m_state = State::noise;
    std::size_t m_magicMatched = 0;
    std::size_t m_noiseBytes = 0;
    std::string m_noise;
    std::string m_pending;
    std::optional<Error> m_error;
};

} // namespace ringside::wire
