// SPDX-License-Identifier: MIT
// Losses that a device computes, read by the host one iteration later: reading one at once would stop the host until
// the device is there, and then the device until the host has enqueued more work.
#pragma once

#include "agent/worker/device/streams.h"

#include <ATen/core/Tensor.h>
#include <vector>

namespace ringside {

/// Compute thread only.
class LateLosses
{
public:
    explicit LateLosses(c10::Device device);

    /// The loss of an iteration, behind all that is enqueued on the current stream.
    void put(std::uint32_t seq, const at::Tensor& loss);
    /// The loss of one of the last four iterations; waits until it is there.
    float of(std::uint32_t seq) const;

private:
    struct Slot
    {
        at::Tensor pinned;
        c10::Event there;
    };

    c10::Device m_device;
    std::vector<Slot> m_slots;
};

} // namespace ringside
