// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include "agent/worker/device/streams.h"

namespace ringside {

Result<void> Payload::await() const
try {
    if (there)
        awaitEvent(*there);
    return {};
} catch (const std::exception& error) { // of libtorch, on a thread that has no other way to report it
    return fail(ErrorCode::unavailable, std::string("The GPU failed before gradients were exchanged: ") + error.what());
}

} // namespace ringside
