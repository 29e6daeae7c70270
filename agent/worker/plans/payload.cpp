// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include "agent/worker/device/sidestream.h"

namespace ringside {

Result<void> Payload::await() const
try {
    if (there)
        awaitEvent(*there);
    return {};
} catch (const std::exception& error) {
    return exchangeFailure(error);
}

} // namespace ringside
