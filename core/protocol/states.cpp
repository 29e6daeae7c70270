// SPDX-License-Identifier: MIT
#include "core/protocol/states.h"

namespace ringside {

bool isFromOutside(Cause cause)
{
    switch (cause) {
    case Cause::lostRank:
    case Cause::hung:
    case Cause::runnerLost:
    case Cause::timeLimit:
    case Cause::launch:
        return true;
    default:
        return false;
    }
}

bool isFinal(RunState state)
{
    return state == RunState::done || state == RunState::failed || state == RunState::cancelled;
}

bool isWaiting(RunState state)
{
    return state == RunState::queued || state == RunState::requeued;
}

} // namespace ringside
