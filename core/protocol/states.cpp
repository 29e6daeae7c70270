// SPDX-License-Identifier: MIT
#include "core/protocol/states.h"

#include "core/protocol/names.h"

namespace ringside {

namespace {

constexpr RunState kRunStates[] = {RunState::queued, RunState::starting,  RunState::running,  RunState::done,
                                   RunState::failed, RunState::cancelled, RunState::requeued, RunState::unknown};
constexpr RunKind kRunKinds[] = {RunKind::run, RunKind::trial, RunKind::imported};
constexpr Cause kCauses[] = {Cause::none,       Cause::settings, Cause::outOfMemory, Cause::data,
                             Cause::notANumber, Cause::lostRank, Cause::hung,        Cause::runnerLost,
                             Cause::timeLimit,  Cause::launch,   Cause::cancelled,   Cause::crashed};

} // namespace

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

std::string_view nameOf(RunState state)
{
    switch (state) {
    case RunState::queued:
        return "queued";
    case RunState::starting:
        return "starting";
    case RunState::running:
        return "running";
    case RunState::done:
        return "done";
    case RunState::failed:
        return "failed";
    case RunState::cancelled:
        return "cancelled";
    case RunState::requeued:
        return "requeued";
    case RunState::unknown:
        break;
    }
    return "unknown";
}

std::string_view nameOf(RunKind kind)
{
    switch (kind) {
    case RunKind::run:
        return "run";
    case RunKind::trial:
        return "trial";
    case RunKind::imported:
        break;
    }
    return "imported";
}

std::string_view nameOf(Cause cause)
{
    switch (cause) {
    case Cause::none:
        return "none";
    case Cause::settings:
        return "settings";
    case Cause::outOfMemory:
        return "out_of_memory";
    case Cause::data:
        return "data";
    case Cause::notANumber:
        return "not_a_number";
    case Cause::lostRank:
        return "lost_rank";
    case Cause::hung:
        return "hung";
    case Cause::runnerLost:
        return "runner_lost";
    case Cause::timeLimit:
        return "time_limit";
    case Cause::launch:
        return "launch";
    case Cause::cancelled:
        return "cancelled";
    case Cause::crashed:
        break;
    }
    return "crashed";
}

std::optional<RunState> runStateFromName(std::string_view name)
{
    return valueNamed(name, kRunStates);
}
std::optional<RunKind> runKindFromName(std::string_view name)
{
    return valueNamed(name, kRunKinds);
}
std::optional<Cause> causeFromName(std::string_view name)
{
    return valueNamed(name, kCauses);
}

} // namespace ringside
