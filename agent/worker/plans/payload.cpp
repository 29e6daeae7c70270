// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include "agent/worker/device/streams.h"

namespace ringside {

bool Payload::isThere() const
{
    return !there || hasHappened(*there);
}

void Payload::await() const
{
    if (there)
        awaitEvent(*there);
}

} // namespace ringside
