// SPDX-License-Identifier: MIT
// Streams of a device by libtorch's device-generic interface. What is enqueued on one stream is done in its order; an
// event says how far one has come. The current stream is a thread's own: libtorch's functions enqueue on it.
#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace ringside {

inline c10::Stream currentStream(c10::Device device)
{
    return c10::impl::getDeviceGuardImpl(device.type())->getStream(device);
}

/// One beside the current stream, of those that libtorch keeps for it.
inline c10::Stream streamBeside(c10::Device device)
{
    return c10::impl::getDeviceGuardImpl(device.type())->getStreamFromGlobalPool(device);
}

/// One between whose records time can be taken.
inline c10::Event timedEvent(c10::Device device)
{
    return {device.type(), c10::EventFlag::BACKEND_DEFAULT};
}

/// Any thread.
bool hasHappened(const c10::Event& event);
/// Any thread. Looks eagerly at first and then sleeps between looks: a core that waits for a GPU is missed by the
/// compute thread.
void awaitEvent(const c10::Event& event);

/// Between two timed events that have happened.
inline std::int64_t nsBetween(const c10::Event& first, const c10::Event& second)
{
    return static_cast<std::int64_t>(first.elapsedTime(second) * 1e6);
}

} // namespace ringside
