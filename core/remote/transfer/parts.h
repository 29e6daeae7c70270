// SPDX-License-Identifier: MIT
// Pieces of a file, each on a channel of its own, driven together from one thread.
#pragma once

#include "core/remote/transfer/remotehelper.h"
#include "core/remote/transfer/transfer.h"

#include <memory>
#include <vector>

namespace ringside::transfer {

/// The unit in which pieces begin (dd's bs).
inline constexpr std::uint64_t kBlockBytes = 1u << 20;
/// What is handled at a time: few calls, and small enough to stay in a processor's cache.
inline constexpr std::size_t kPieceBytes = 256u << 10;

struct Range
{
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// How many channels carry a large file fastest, if the options do not say it.
int channelsFor(const Host& host, const TransferOptions& options);

/// Cuts a file at blocks into at most `channels` pieces of at least 2 MiB; one, perhaps empty, for a small one.
std::vector<Range> cut(std::uint64_t size, int channels);

class Part
{
public:
    virtual ~Part() = default;
    /// Moves what can be moved now; true if something did. Fails when the piece cannot be had.
    virtual Result<bool> turn() = 0;
    virtual bool isDone() const = 0;
    virtual bool wantsToWrite() const = 0;
    /// Bytes of the file behind us.
    virtual std::uint64_t moved() const = 0;
    virtual Channel& channel() = 0;
};

/// Until all are done. Fails with the first error, with timeout after kSilenceLimit, with cancelled, and when the
/// helper ends.
Result<void> drive(const std::vector<std::unique_ptr<Part>>& parts, RemoteHelper& helper, std::uint64_t total,
                   const TransferOptions& options);

} // namespace ringside::transfer
