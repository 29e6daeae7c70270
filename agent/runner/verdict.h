// SPDX-License-Identifier: MIT
// Judges how an attempt ended and why, from the ends of its ranks. Pure.
#pragma once

#include "agent/runner/rankexit.h"
#include "agent/runner/rankwatch.h"
#include "core/jobs/launcher.h"
#include "core/jobs/programs/table.h"
#include "core/protocol/memoryneed.h"
#include "core/protocol/plan.h"
#include "core/protocol/reason.h"
#include "core/protocol/sample.h"
#include "core/protocol/states.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside::runner {

/// The reason for which the runner itself ended an attempt.
enum class StopReason
{
    none,
    cancelled,
    preempted,
    timeLimit,
    silentRank,
    hungRank
};

struct Evidence
{
    std::vector<std::optional<RankExit>> ranks; ///< by rank; nullopt: never started, or its guard was killed
    RankExit launcher;                          ///< mpirun, or the guard of the only rank
    StopReason stop = StopReason::none;
    std::optional<int> blamedRank; ///< with silentRank, and with hungRank unless all wait for each other
    std::string blamedHost;
    std::chrono::seconds blamedFor{};        ///< silent, or without progress; 0: not known
    std::optional<Phase> blamedPhase = {};   ///< with hungRank: in which it hung
    bool talked = false;                     ///< with hungRank: a process still printed in that time
    std::string launcherSaid;                ///< the end of its output, for a failure to start
    std::vector<std::string> ranksSaid = {}; ///< by rank: the last line of its log; empty, or shorter, where not known
    /// By rank: when the runner first saw its record, on the runner's clock, the same for all that one look finds;
    /// shorter where that is not known.
    std::vector<std::int64_t> seenNs = {};
    /// By rank: it ended before it had a spool; shorter where that is not known.
    std::vector<bool> withoutSpool = {};
    std::vector<std::string> hosts = {}; ///< by rank, from its spool; empty, or shorter, where not known
    std::string launcherName = "mpirun";
    const jobs::Launcher* startedBy = nullptr; ///< none: the runner itself, which started the only process
    /// By rank that trains, by an estimate.
    std::vector<std::optional<MemoryNeed>> memory = {};
    std::optional<int> training = {}; ///< so many are ranks, before those of other roles; nullopt: all are
    int ranksPerProcess = 1;          ///< of those that train
    std::vector<Role> roles = {};
    bool helpedTooLong = false; ///< they were ended for it, since those that lead had ended long before
    const jobs::Program* program = &jobs::training(); ///< what each of them ran
    std::optional<std::uint64_t> told =
        {};                      ///< the most iterations that a rank reported; nullopt: its exit code says enough
    std::uint64_t leastTold = 0; ///< with `told`: the fewest of those that reported any
    std::uint64_t toldOfRanks = 0, wantedOfRanks = 0; ///< with `told`: ranks whose iterations were reported, and all
    std::uint64_t asked = 0;                          ///< iterations of the run
    std::uint64_t wentOn = 0; ///< processes of ranks that had to be ended after the ranks themselves
};

struct Verdict
{
    RunState state = RunState::failed;
    Cause cause = Cause::none;
    Reason reason = {}; ///< empty for done
    std::optional<int> rank = {};
    std::string host = {};
};

/// Returns what the plan knows of it. `program` outlives it.
Evidence evidenceOf(const RunSpec& run, const jobs::Program& program);
/// Adds what the processes of a system have reported; `watches` have read all of it.
void addReports(Evidence& evidence, std::span<const RankWatch> watches);

/// Blames the rank that ended first of its own; ranks that ended because a peer did, or were told to, only follow.
/// Clocks of different hosts are never compared: between hosts, the order is the one that the runner saw. Of those that
/// one look found on different hosts, one that failed of its own is to blame rather than one that was killed; else the
/// first counts as unknown, and no rank is named.
Verdict judge(const Evidence& evidence);

} // namespace ringside::runner
