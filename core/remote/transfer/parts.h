// SPDX-License-Identifier: MIT
// Pieces of a file, each on a channel of its own, driven together from one thread.
#pragma once

#include "core/base/openfile.h"
#include "core/remote/transfer/remotehelper.h"
#include "core/remote/transfer/transfer.h"
#include "core/remote/transfer/zstd.h"

#include <memory>
#include <vector>

namespace ringside::transfer {

/// The unit in which pieces begin (dd's bs).
inline constexpr std::uint64_t kBlockBytes = 1u << 20;
/// Size of a part that is handled at a time: few calls, and small enough to stay in a processor's cache.
inline constexpr std::size_t kPieceBytes = 256u << 10;

struct Range
{
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Returns the number of channels that carry a large file fastest, if the options do not say it.
int channelsFor(const Host& host, const TransferOptions& options);

/// Cuts a file at blocks into at most `channels` pieces of at least 2 MiB; one, perhaps empty, for a small one.
std::vector<Range> cut(std::uint64_t size, int channels);

/// A piece that is being sent to the input of a command of its own. `doing`: for messages. The source outlives it.
class Part
{
public:
    Part(const OpenFile& source, Range range, Codec codec, std::unique_ptr<Channel> channel, std::string doing);

    /// Moves what can be moved now; true if something did. Fails when the piece cannot be sent.
    Result<bool> turn();
    bool wantsToWrite() const { return !m_inputEnded; }
    bool isDone() const { return m_done; }
    /// Bytes of the file behind us.
    std::uint64_t moved() const { return m_at - m_range.begin; }
    Channel& channel() const { return *m_channel; }

private:
    Result<bool> push();
    Result<void> fill();
    Result<void> finish();

    const OpenFile& m_source;
    const Range m_range;
    std::uint64_t m_at; ///< so far it has got
    Compressor m_compressor;
    std::string m_pending;
    std::unique_ptr<Channel> m_channel;
    std::string m_doing;
    bool m_allTaken = false; ///< everything of the range is in m_pending or behind it
    bool m_inputEnded = false;
    bool m_done = false;
};

/// Until all are done. Fails with the first error, with timeout after kSilenceLimit, with cancelled, and when the
/// helper ends.
Result<void> drive(const std::vector<std::unique_ptr<Part>>& parts, RemoteHelper& helper, std::uint64_t total,
                   const TransferOptions& options);

} // namespace ringside::transfer
