// SPDX-License-Identifier: MIT
#include "core/remote/transfer/parts.h"

#include "core/base/clock.h"
#include "core/base/words.h"

#include <algorithm>

namespace ringside::transfer {

namespace {

constexpr std::uint64_t kLeastPartBytes = 2 * kBlockBytes;
constexpr int kStopLookMs = 100;

std::uint64_t movedBytes(const std::vector<std::unique_ptr<Part>>& parts)
{
    std::uint64_t bytes = 0;
    for (const auto& part : parts)
        bytes += part->moved();
    return bytes;
}

void waitForAny(const std::vector<std::unique_ptr<Part>>& parts)
{
    std::vector<pollfd> set;
    for (const auto& part : parts) {
        if (part->isDone())
            continue;
        const auto some = part->channel().pollSet(part->wantsToWrite());
        set.insert(set.end(), some.begin(), some.end());
    }
    ::poll(set.data(), set.size(), kStopLookMs);
}

Result<bool> turnAll(const std::vector<std::unique_ptr<Part>>& parts)
{
    bool moved = false;
    for (const auto& part : parts) {
        if (part->isDone())
            continue;
        TRY_ASSIGN(const bool some, part->turn());
        moved = moved || some;
    }
    return moved;
}

} // namespace

std::vector<Range> cut(std::uint64_t size, int channels)
{
    const std::uint64_t count =
        std::clamp<std::uint64_t>(size / kLeastPartBytes, 1, static_cast<std::uint64_t>(channels));
    const std::uint64_t blocks = (size + kBlockBytes - 1) / kBlockBytes;
    std::vector<Range> ranges;
    for (std::uint64_t i = 0; i < count; ++i)
        ranges.push_back(
            {std::min(size, blocks * i / count * kBlockBytes), std::min(size, blocks * (i + 1) / count * kBlockBytes)});
    return ranges;
}

/// If 2 MB in each round trip are no limit, the far side would only hold more of the file in memory for further
/// ones.
int channelsFor(const Host& host, const TransferOptions& options)
{
    constexpr std::chrono::milliseconds kNear{2}; // 1 GB/s
    constexpr int kFar = 4;
    return options.channels > 0 ? options.channels : host.roundTrip() < kNear ? 1 : kFar;
}

Part::Part(const OpenFile& source, Range range, Codec codec, std::unique_ptr<Channel> channel, std::string doing)
    : m_source(source)
    , m_range(range)
    , m_at(range.begin)
    , m_compressor(codec)
    , m_channel(std::move(channel))
    , m_doing(std::move(doing))
{
}

Result<bool> Part::turn()
{
    bool moved = false;
    if (!m_inputEnded) {
        TRY_ASSIGN(moved, push());
    }
    TRY(m_channel->read(kPieceBytes)); // only what a login shell prints
    if (m_channel->atEnd())
        TRY(finish());
    return moved || isDone();
}

/// A command that reads no more says why at its end.
Result<bool> Part::push()
{
    if (m_pending.empty() && !m_allTaken)
        TRY(fill());
    const auto taken = m_pending.empty() ? Result<std::size_t>(0) : m_channel->write(m_pending);
    m_pending.erase(0, taken.value_or(0));
    m_inputEnded = !taken || (m_pending.empty() && m_allTaken);
    if (m_inputEnded)
        m_channel->endInput();
    return taken && (*taken > 0 || m_inputEnded);
}

Result<void> Part::fill()
{
    std::string piece;
    if (m_at < m_range.end) {
        TRY_ASSIGN(piece, m_source.read(m_at, std::min<std::uint64_t>(kPieceBytes, m_range.end - m_at)));
        if (piece.empty())
            return fail(ErrorCode::io, Words::tr("{} became shorter while it was sent.", m_source.path().string()),
                        Words::tr("Try again."));
    }
    m_at += piece.size();
    m_allTaken = m_at == m_range.end;
    TRY_ASSIGN(m_pending, m_compressor.add(std::move(piece), m_allTaken));
    return {};
}

/// Ends the command; fails with what it printed where it failed, or the piece is not whole.
Result<void> Part::finish()
{
    m_done = m_channel->close(std::chrono::milliseconds(5'000)) == 0 && m_at == m_range.end;
    return m_done ? Result<void>() : tl::unexpected(complaint(m_doing, m_channel->errorText()));
}

Result<void> drive(const std::vector<std::unique_ptr<Part>>& parts, RemoteHelper& helper, std::uint64_t total,
                   const TransferOptions& options)
{
    const std::int64_t limitNs = toNs(kSilenceLimit);
    std::int64_t movedNs = monotonicNs();
    while (!std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part->isDone(); })) {
        if (options.stop.stop_requested())
            return fail(ErrorCode::cancelled, Words::tr("The transfer was stopped on request."));
        TRY_ASSIGN(const bool moved, turnAll(parts));
        if (moved) {
            movedNs = monotonicNs();
            if (options.progress)
                options.progress(movedBytes(parts), total);
        } else if (monotonicNs() - movedNs > limitNs) {
            return fail(ErrorCode::timeout, Words::tr("Nothing moved for 30 s."),
                        Words::tr("Check the machine and its connection."));
        } else {
            waitForAny(parts);
        }
        TRY(helper.check());
    }
    return {};
}

} // namespace ringside::transfer
