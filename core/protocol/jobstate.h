// SPDX-License-Identifier: MIT
// States of a scheduler's job, distinguished as far as it matters for what is done next.
#pragma once

#include "core/protocol/names.h"

#include <array>
#include <string_view>

namespace ringside {

enum class JobState
{
    unknown, ///< not asked yet, or the scheduler does not know the job (any more)
    pending,
    requeued, ///< between two starts of the same job
    running,
    suspended,
    completing, ///< its processes have ended; nodes are being cleaned up
    completed,
    failed, ///< ended with a code other than 0
    cancelled,
    timeout,
    outOfMemory,
    nodeFail,
    preempted, ///< and not put back into the queue
    bootFail,
};
constexpr auto namesOf(JobState)
{
    return std::to_array<std::string_view>({"unknown", "pending", "requeued", "running", "suspended", "completing",
                                            "completed", "failed", "cancelled", "timeout", "out_of_memory", "node_fail",
                                            "preempted", "boot_fail"});
}

/// The job will do nothing any more.
constexpr bool isOver(JobState state)
{
    return state >= JobState::completed;
}

} // namespace ringside
