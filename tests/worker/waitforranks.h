// SPDX-License-Identifier: MIT
#pragma once

#include "agent/worker/collectives/rankgroup.h"
#include "tests/support/runningtime.h"

namespace ringside::test {

/// RankGroup::wait, but the limit is read by RunningTime.
inline Result<int> waitForRanks(RankGroup& group, std::chrono::milliseconds limit)
{
    const RunningTime time;
    for (;;) {
        auto code = group.wait(std::chrono::milliseconds(100));
        if (code || code.error().code != ErrorCode::timeout || time.elapsed() > limit)
            return code;
    }
}

} // namespace ringside::test
