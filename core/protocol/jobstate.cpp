// SPDX-License-Identifier: MIT
#include "core/protocol/jobstate.h"

#include <iterator>

namespace ringside {

namespace {

constexpr std::string_view kNames[] = {"unknown",       "pending",   "requeued",  "running",   "suspended",
                                       "completing",    "completed", "failed",    "cancelled", "timeout",
                                       "out_of_memory", "node_fail", "preempted", "boot_fail"};
static_assert(std::size(kNames) == static_cast<std::size_t>(JobState::bootFail) + 1);

} // namespace

bool isOver(JobState state)
{
    return state >= JobState::completed;
}

std::string_view nameOf(JobState state)
{
    return kNames[static_cast<std::size_t>(state)];
}

} // namespace ringside
