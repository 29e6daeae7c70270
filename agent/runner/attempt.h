// SPDX-License-Identifier: MIT
// One attempt: fresh processes in a session of their own, watched until none of them is left.
#pragma once

#include "agent/runner/hungrank.h"
#include "agent/runner/limits.h"
#include "agent/runner/rankwatch.h"
#include "agent/runner/runnerheartbeat.h"
#include "agent/runner/scratch.h"
#include "agent/runner/verdict.h"
#include "core/base/descriptor.h"
#include "core/jobs/attempts/attemptcommand.h"

#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace ringside::runner {

/// Makes runs/<run>/attempt-k for the first free k behind the `last` one of this campaign and those that the plan knows
/// of, and returns k. mkdir is the claim; a folder that was removed does not free its number, by which samples are
/// known.
Result<int> claimAttempt(const fs::path& root, const RunSpec& run, int last);
/// A line for the log about so many processes that are not waited for any more.
std::string outlivesKill(std::size_t processes);
/// Tests for room in the attempt's folder by writing a page: a quota shows nowhere else.
Result<void> tryToWrite(const fs::path& attempt);

/// Not thread-safe; used by the only thread of the runner, whose death ends the processes.
class Attempt
{
public:
    /// Starts the processes of the attempt of that number, whose folder exists; what its place has on this computer is
    /// found here. Fails for a program that is missing, and for what else keeps them from being started.
    static OrReason<std::unique_ptr<Attempt>> start(const CampaignPlan& plan, const RunSpec& run,
                                                    const jobs::SitePaths& paths, jobs::AttemptPlace place,
                                                    const Limits& limits);
    Attempt(Attempt&&) = delete;
    /// Kills what is left.
    ~Attempt();

    /// Handles ended children, spools and limits. Returns false once no process is left, or none that a kill ends.
    bool turn();
    /// Asks the ranks to end; kills them after their grace. The first reason stays.
    void stop(StopReason reason);
    bool stopping() const { return m_evidence.stop != StopReason::none; }
    /// In which this process did not run, as in a job that is suspended.
    std::int64_t pausedNs() const { return m_pausedNs; }
    /// Call once `turn` returned false.
    Verdict verdict();

private:
    /// One watch for each process: the ranks, then the servers.
    Attempt(fs::path folder, Scratch scratch, Scratch shared, const Limits& limits, const CampaignPlan& plan,
            const RunSpec& run);
    Result<void> tie(bool toHosts);
    bool isLeftElsewhere(std::int64_t nowNs) const;
    bool isTidying(std::int64_t nowNs) const;
    void reap();
    void leaveOutPause(std::int64_t nowNs);
    void watchRanks(std::int64_t nowNs);
    void blame(std::size_t rank, StopReason reason);
    void blameHung(std::int64_t nowNs);
    std::vector<Stalled> stalled(std::int64_t nowNs) const;
    void forgiveWhileFull(std::int64_t nowNs);
    void shareProgress();
    void shareOutput(std::int64_t nowNs);
    void watchExits();
    void endHelpers(std::int64_t nowNs);
    std::string helperThatHangs(int process) const;
    void killLauncher();
    void endRanks(milliseconds grace);
    void killIfOverdue(std::int64_t nowNs);
    bool isHeldUp(std::int64_t nowNs) const;
    void killTheRest();

    fs::path m_folder;
    Scratch m_scratch; ///< sockets, control pipe
    Scratch m_shared;  ///< memory that the ranks of this host share
    Limits m_limits;
    bool m_copies; ///< pictures to its nodes
    std::shared_ptr<const jobs::Program> m_program;
    std::vector<RankWatch> m_ranks;
    Evidence m_evidence;
    Descriptor m_control;                             ///< write end of the control pipe; never written
    std::optional<RunnerHeartbeat> m_runnerHeartbeat; ///< in its place, where guards are on other hosts
    pid_t m_launcher = -1;                            ///< -1 once it ended
    bool m_launcherEndsItself = true;                 ///< it has one look's time for that once all ranks ended
    bool m_launcherKilled = false;                    ///< by us; then its status says nothing
    std::size_t m_recorded = 0;                       ///< ranks that have an end
    std::optional<std::int64_t> m_killAtNs;
    std::optional<std::int64_t> m_killedNs; ///< since then what is left gets SIGKILL
    std::int64_t m_lookAtNs = 0;
    std::int64_t m_pausedNs = 0;
    std::optional<std::int64_t> m_begunNs; ///< when the first rank reported
};

} // namespace ringside::runner
