// SPDX-License-Identifier: MIT
// Streams of a device by libtorch's device-generic interface. Work on one stream is done in the order of its enqueuing;
// an event shows how far a stream has come. The current stream is a thread's own: libtorch's functions enqueue on it.
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

/// A stream beside the current one, from libtorch's pool.
inline c10::Stream streamBeside(c10::Device device)
{
    return c10::impl::getDeviceGuardImpl(device.type())->getStreamFromGlobalPool(device);
}

/// An event for measuring the time between two records.
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
