// SPDX-License-Identifier: MIT
// The place where gradients are exchanged: the CPU, which works at once, or a stream of a GPU, on which packing,
// coding, sums and unpacking follow one another while neither the host nor the compute stream waits.
#pragma once

#include "agent/worker/collectives/communicator.h"
#include "agent/worker/device/streams.h"

#include <optional>

namespace ringside {

/// Made by any thread, used by one. Errors of libtorch are exceptions.
class ExchangeStream
{
public:
    /// On the CPU.
    ExchangeStream() = default;
    /// The ranks exchange gradients of this device on their stream if they have one, else on the CPU. Stores
    /// the reference.
    ExchangeStream(Communicator& ranks, c10::Device device);
    /// For this process alone.
    explicit ExchangeStream(c10::Stream stream);

    /// In whose memory.
    c10::Device device() const { return m_stream ? m_stream->device() : c10::Device(c10::kCPU); }
    const std::optional<c10::Stream>& stream() const { return m_stream; }
    /// While it lives, the calling thread's libtorch operations and allocations go to this stream.
    c10::OptionalStreamGuard use() const;
    /// All that was asked for here so far.
    Result<std::unique_ptr<Transfer>> enqueued() const;
    /// Blocks until that is done.
    Result<void> await() const;

private:
    Communicator* m_ranks = nullptr;
    std::optional<c10::Stream> m_stream;
};

} // namespace ringside
