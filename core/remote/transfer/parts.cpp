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

/// Where 2 MB in each round trip are no limit, the far side would only hold more of the file in memory for further
/// ones.
int channelsFor(const Host& host, const TransferOptions& options)
{
    constexpr std::chrono::milliseconds kNear{2}; // 1 GB/s up and, as libssh asks for more, 300 MB/s down
    constexpr int kFar = 4;
    return options.channels > 0 ? options.channels : host.roundTrip() < kNear ? 1 : kFar;
}

Result<void> drive(const std::vector<std::unique_ptr<Part>>& parts, RemoteHelper& helper, std::uint64_t total,
                   const TransferOptions& options)
{
    const std::int64_t limitNs = std::chrono::nanoseconds(kSilenceLimit).count();
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
