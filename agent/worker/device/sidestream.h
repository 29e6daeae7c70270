// SPDX-License-Identifier: MIT
// What a thread beside the compute thread does with numbers in a GPU's memory: on a stream of its own, so that it waits
// for nothing that is enqueued to be computed, and waited for by the host.
#pragma once

#include "agent/worker/device/streams.h"

#include <ATen/core/Tensor.h>
#include <optional>
#include <span>

namespace ringside {

/// Made by any thread, used by one. On the CPU, which does at once what it is asked for, there is no stream and no
/// wait. Errors of libtorch are exceptions.
class SideStream
{
public:
    explicit SideStream(c10::Device device);

    bool isOnCpu() const { return m_device.is_cpu(); }
    c10::Device device() const { return m_device; }
    /// While it lives, what the calling thread asks libtorch for is done here.
    c10::OptionalStreamGuard use() const { return c10::OptionalStreamGuard(m_stream); }
    /// Numbers in the device's memory, which stay their owner's.
    at::Tensor view(std::span<float> numbers) const;
    /// Blocks until all that was asked for here is done.
    void await();

private:
    c10::Device m_device;
    std::optional<c10::Stream> m_stream;
    std::optional<c10::Event> m_done;
};

} // namespace ringside
