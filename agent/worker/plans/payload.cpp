// SPDX-License-Identifier: MIT
#include "agent/worker/plans/payload.h"

#include "agent/worker/device/streams.h"

namespace ringside {

void Payload::await() const
{
    if (there)
        awaitEvent(*there);
}

} // namespace ringside
