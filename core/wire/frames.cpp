// SPDX-License-Identifier: MIT
#include "core/wire/frames.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/block.h"
#include "core/wire/codec.h"

namespace ringside::wire {

namespace {

/// Its first byte occurs nowhere else in it, so after a mismatch the search can only begin anew. No shell prints it,
/// and a terminal or a transfer that touches line ends or the eighth bit breaks it.
constexpr std::string_view kMagic{"\x00\xffRS\r\n\x1a\n\xfe\x01", 10};
constexpr std::size_t kKeptNoiseBytes = 2000;

} // namespace

Result<std::string> FrameWriter::write(const Message& message)
{
    TRY_ASSIGN(const std::string payload, encodeMessage(message));
    if (payload.size() > kMaxFrameBytes)
        return fail(ErrorCode::usage,
                    Words::tr("A message of {} is above the limit of {}.", humanBytes(payload.size()),
                              humanBytes(kMaxFrameBytes)),
                    Words::tr("Submit fewer runs at once, or remove less at once."));
    std::string bytes(m_started ? std::string_view{} : kMagic);
    m_started = true;
    appendBlock(bytes, payload);
    return bytes;
}

Result<void> FrameReader::feed(std::string_view bytes, const std::function<void(Message&&)>& onMessage)
{
    auto done = skipNoise(bytes).and_then([&](std::string_view rest) {
        m_pending.append(rest);
        return readFrames(onMessage);
    });
    if (!done) {
        m_state = State::failed;
        m_error = done.error();
    }
    return done;
}

Result<std::string_view> FrameReader::skipNoise(std::string_view bytes)
{
    if (m_error)
        return tl::unexpected(*m_error);
    std::size_t i = 0;
    for (; m_state == State::noise && i < bytes.size(); ++i) {
        m_magicMatched = bytes[i] == kMagic[m_magicMatched] ? m_magicMatched + 1 : bytes[i] == kMagic[0];
        if (m_magicMatched == kMagic.size())
            m_state = State::frames;
    }
    keepNoise(bytes.substr(0, i));
    if (m_state == State::noise && m_noiseBytes > kMaxNoiseBytes)
        return fail(ErrorCode::unavailable, Words::tr("What answers is not ringside-agent."),
                    Words::tr("It printed: {}", noise()));
    return bytes.substr(i);
}

void FrameReader::keepNoise(std::string_view bytes)
{
    m_noiseBytes += bytes.size();
    m_noise.append(bytes.substr(bytes.size() - std::min(bytes.size(), kKeptNoiseBytes + kMagic.size())));
    const std::size_t kept = kKeptNoiseBytes + m_magicMatched;
    m_noise.erase(0, m_noise.size() - std::min(m_noise.size(), kept));
}

std::string FrameReader::noise() const
{
    return plainText(std::string_view(m_noise).substr(0, m_noise.size() - m_magicMatched));
}

Result<void> FrameReader::readFrames(const std::function<void(Message&&)>& onMessage)
{
    std::string_view rest = m_pending;
    for (;;) {
        TRY_ASSIGN(const auto payload, peekBlock(rest, kMaxFrameBytes));
        if (!payload)
            break;
        TRY_ASSIGN(Message message, decodeMessage(*payload));
        onMessage(std::move(message));
        rest.remove_prefix(kBlockHeaderBytes + payload->size());
    }
    m_pending.erase(0, m_pending.size() - rest.size());
    return {};
}

} // namespace ringside::wire
