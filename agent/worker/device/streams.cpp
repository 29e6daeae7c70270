// SPDX-License-Identifier: MIT
#include "agent/worker/device/streams.h"

#include "core/base/backoff.h"

namespace ringside {

namespace {

constexpr std::chrono::microseconds kAwake{100};
constexpr std::chrono::microseconds kNap{20};

/// A thread without a device of its own computes on GPU 0, and opens it by its first question: some 500 MB of another
/// rank's GPU. Set for good, as restoring the former device would open it after all.
void useDeviceOf(const c10::Event& event)
{
    c10::impl::getDeviceGuardImpl(event.device_type())->setDevice(event.device());
}

} // namespace

bool hasHappened(const c10::Event& event)
{
    useDeviceOf(event);
    return event.query();
}

void awaitEvent(const c10::Event& event)
{
    const Backoff backoff(kAwake, kNap);
    while (!hasHappened(event))
        backoff.pause();
}

} // namespace ringside
