// SPDX-License-Identifier: MIT
#include "core/protocol/jobstate.h"

#include <algorithm>
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

std::optional<JobState> jobStateFromName(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name);
    return found == std::end(kNames) ? std::nullopt : std::optional(static_cast<JobState>(found - std::begin(kNames)));
}

} // namespace ringside
