// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <chrono>
#include <thread>

namespace ringside {

namespace {

constexpr std::chrono::microseconds kNap{20};

/// A thread that was never told computes on GPU 0, and opens it by its first question: some 500 MB of another rank's
/// GPU. For good, as going back would open it after all.
void useDeviceOf(const c10::Event& event)
{
    c10::impl::getDeviceGuardImpl(event.device_type())->setDevice(event.device());
}

} // namespace

Result<void> Payload::await() const
try {
    if (!there)
        return {};
    useDeviceOf(*there);
    while (!there->query())
        std::this_thread::sleep_for(kNap);
    return {};
} catch (const std::exception& error) { // of libtorch, on a thread that has no other way to report it
    return fail(ErrorCode::unavailable, std::string("The GPU failed before gradients were exchanged: ") + error.what());
}

} // namespace ringside
