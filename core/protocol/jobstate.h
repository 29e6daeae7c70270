// SPDX-License-Identifier: MIT
// How a scheduler's job stands, told apart as far as it matters for what is done next.
#pragma once

#include <optional>
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

/// The job will do nothing any more.
bool isOver(JobState state);

std::string_view nameOf(JobState state);
std::optional<JobState> jobStateFromName(std::string_view name);

} // namespace ringside
