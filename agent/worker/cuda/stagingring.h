// SPDX-License-Identifier: MIT
// The way of host memory through the GPU: a few pieces of page-locked memory and of the GPU's, so that one piece is
// copied while the one before it is worked on.
#pragma once

#include "agent/worker/cuda/checks.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace ringside::cuda {

/// As much of a message as one slot holds; a multiple of every element's size. Large enough that a copy over PCIe takes
/// far longer (some 160 µs at 25 GB/s) than it costs to start one.
inline constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// One thread at a time, the one whose device is the ring's.
class StagingRing
{
public:
    /// Work on a piece that is on the GPU, enqueued on the stream of `through`: `first` is its offset in the buffer.
    using Work = std::function<Result<void>(std::byte* piece, std::size_t first, std::size_t bytes)>;
    /// Waits for an event, or says why that is in vain.
    using Await = std::function<Result<void>(cudaEvent_t)>;

    static Result<std::unique_ptr<StagingRing>> create();
    ~StagingRing();

    /// Sends the buffer through the GPU and back. Complete when it returns; after an error the buffer's content says
    /// nothing.
    Result<void> through(std::span<std::byte> buffer, cudaStream_t worker, const Work& work, const Await& await);

private:
    struct Slot
    {
        std::byte* pinned = nullptr;
        std::byte* device = nullptr;
        cudaEvent_t there = nullptr;
        cudaEvent_t worked = nullptr;
        cudaEvent_t back = nullptr;
        std::span<std::byte> home; ///< where the piece came from and goes to; empty: the slot is free
    };

    StagingRing() = default;
    static Result<void> make(Slot& slot);
    Result<void> send(Slot& slot, cudaStream_t worker, std::size_t first, const Work& work);
    static Result<void> take(Slot& slot, const Await& await);

    std::array<Slot, 4> m_slots;
    cudaStream_t m_in = nullptr;
    cudaStream_t m_out = nullptr;
};

} // namespace ringside::cuda
