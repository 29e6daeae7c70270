// SPDX-License-Identifier: MIT
// The way of batches to a GPU: through page-locked memory and on a stream of its own, so that a batch is copied while
// the GPU computes on the one before it.
#pragma once

#include "agent/worker/device/streams.h"

#include <ATen/core/Tensor.h>
#include <array>
#include <vector>

namespace ringside {

/// Compute thread only. Its waits are waits of streams; the host waits only in `bring`, when it is two batches ahead of
/// the copies.
class BatchRing
{
public:
    /// `inputs` and `labels`: dense tensors on the CPU such as those that come. Until one comes a batch is zeros.
    BatchRing(const at::Tensor& inputs, const at::Tensor& labels, c10::Device device);
    /// Waits until nothing is on its way.
    ~BatchRing();
    BatchRing(const BatchRing&) = delete;
    BatchRing& operator=(const BatchRing&) = delete;

    /// Copies the next batch, whose memory may be overwritten afterwards, and starts its transfer. The tensors below do
    /// not change.
    void bring(const void* inputs, const void* labels);
    /// Work enqueued on the current stream from here on finds the batch of the last `bring` in the tensors below; work
    /// enqueued before reads the batch before. Once for each batch, and before the next `bring`.
    void use();
    const at::Tensor& inputs() const { return m_current->inputs; }
    const at::Tensor& labels() const { return m_current->labels; }
    /// Batches that were used so far.
    std::uint64_t count() const { return m_used; }

    /// Duration of a batch's copy, by its number from 0 on; of the last four. Blocks until it is done.
    std::int64_t copyNs(std::uint64_t batch) const;

private:
    struct Slot
    {
        at::Tensor pinnedInputs, pinnedLabels; ///< of the host
        at::Tensor inputs, labels;             ///< of the device
        c10::Event read;                       ///< by what was computed with it
    };
    struct Copy
    {
        c10::Event began, done;
    };

    Slot makeSlot(const at::Tensor& inputs, const at::Tensor& labels) const;
    Copy& copyOf(std::uint64_t batch) { return m_copies[batch % m_copies.size()]; }
    void enqueue(Slot& slot, Copy& copy);

    c10::Device m_device;
    c10::Stream m_stream;
    std::vector<Slot> m_slots;
    std::vector<Copy> m_copies; ///< more than slots: they are read late
    Slot* m_current = nullptr;
    std::uint64_t m_brought = 0, m_used = 0;
};

} // namespace ringside
