// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include <chrono>
#include <thread>

namespace ringside {

namespace {

constexpr std::chrono::microseconds kNap{20};

} // namespace

Result<void> Payload::await() const
try {
    while (there && !there->query())
        std::this_thread::sleep_for(kNap);
    return {};
} catch (const std::exception& error) { // of libtorch, on a thread that has no other way to report it
    return fail(ErrorCode::unavailable, std::string("The GPU failed before gradients were exchanged: ") + error.what());
}

} // namespace ringside
