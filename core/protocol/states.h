// SPDX-License-Identifier: MIT
// States of runs and attempts, why they ended, and the exit codes by which a worker says so.
#pragma once

#include "core/protocol/names.h"

#include <array>
#include <string_view>

namespace ringside {

/// A run has the state of its latest attempt; queued before the first one, requeued between two, unknown without
/// contact.
enum class RunState
{
    queued,
    starting,
    running,
    done,
    failed,
    cancelled,
    requeued,
    unknown
};
constexpr auto namesOf(RunState)
{
    return std::to_array<std::string_view>(
        {"queued", "starting", "running", "done", "failed", "cancelled", "requeued", "unknown"});
}

/// run: counts in statistics; trial: "Try one run", never counted; imported: made elsewhere.
enum class RunKind
{
    run,
    trial,
    imported
};
constexpr auto namesOf(RunKind)
{
    return std::to_array<std::string_view>({"run", "trial", "imported"});
}

/// The cause why an attempt did not end as done. One of the run's own making is not repeated unasked.
enum class Cause
{
    none,
    settings,    ///< the worker refused its settings
    outOfMemory, ///< own
    data,        ///< own
    notANumber,  ///< own: the loss became NaN
    lostRank,    ///< a rank died or stopped: killed from outside, a node went away
    hung,        ///< heartbeat without progress
    runnerLost,  ///< the runner died; its successor ended the attempt
    timeLimit,   ///< the job's time was over
    launch,      ///< the worker could not be started
    cancelled,   ///< on request
    crashed,     ///< own: a rank ended with an unforeseen code
};
constexpr auto namesOf(Cause)
{
    return std::to_array<std::string_view>({"none", "settings", "out_of_memory", "data", "not_a_number", "lost_rank",
                                            "hung", "runner_lost", "time_limit", "launch", "cancelled", "crashed"});
}

/// True for what happened to a run rather than in it: such runs count as missing and are repeated.
bool isFromOutside(Cause cause);

bool isFinal(RunState state);
/// Before the first attempt, and between two.
bool isWaiting(RunState state);

/// Exit codes of ringside-worker (CONTRACTS).
namespace exitcode {
inline constexpr int kDone = 0;
inline constexpr int kSettings = 10;
inline constexpr int kOutOfMemory = 11;
inline constexpr int kPeerLost = 12;
inline constexpr int kData = 13;
inline constexpr int kNotANumber = 14;
inline constexpr int kEngineFailed = 15; ///< a GPU, or libtorch in a way that no setting explains
inline constexpr int kNoSpace = 16;      ///< the disk stayed full for longer than is waited
inline constexpr int kTerminated = 143;  ///< by SIGTERM, the spool is complete
} // namespace exitcode

} // namespace ringside
