// SPDX-License-Identifier: MIT
// A campaign in a folder of its own, its plan made of runs of testworker, and a real runner process to carry it out.
#pragma once

#include "core/jobs/attempts/attemptcommand.h"
#include "core/protocol/journal.h"
#include "core/protocol/layout.h"
#include "core/protocol/plan.h"
#include "core/protocol/spool.h"
#include "tests/support/processstat.h"
#include "tests/support/runningtime.h"
#include "tests/support/temporaryfolder.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ringside::test {

/// Path of ringside-agent and of testworker in this build.
fs::path agentPath();
fs::path testworkerPath();

/// A run of testworker; `settings` as testworker.cpp lists them.
RunSpec makeRun(int ranks, int iterations, Settings settings = {});

/// Lines such as "attempt_ended 1/1 failed lost_rank rank=1": run index/attempt, for comparing as text.
std::string storyOf(const CampaignPlan& plan, const std::vector<JournalEvent>& journal);

/// All records of a spool as far as it is written.
std::vector<Record> readSpool(const fs::path& spool);
/// Returns how many iterations are in it: heartbeats and telemetry come before the first.
std::size_t samplesIn(const fs::path& spool);

/// A child process that is killed, with a second chance for its children to notice, when the test is over.
class Process
{
public:
    Process() = default;
    Process(const std::vector<std::string>& command, const std::vector<std::string>& environment, const fs::path& log);
    Process(Process&& other) noexcept
        : m_pid(std::exchange(other.m_pid, -1))
    {
    }
    Process& operator=(Process&& other) noexcept
    {
        std::swap(m_pid, other.m_pid);
        return *this;
    }
    ~Process();

    pid_t pid() const { return m_pid; }
    void signal(int number) const;
    /// Exit code, 128 + signal, or -1 if it still runs after the limit.
    int wait(std::chrono::milliseconds limit);

private:
    pid_t m_pid = -1;
};

class Campaign
{
public:
    /// Below `root`, another campaign's; empty: in a folder of its own.
    explicit Campaign(std::vector<RunSpec> runs, std::optional<int> timeLimitSeconds = {},
                      const std::string& launcher = "mpirun", const fs::path& worker = testworkerPath(),
                      const fs::path& root = {}, std::map<std::string, Engine> engines = {});

    const fs::path& root() const { return m_root; }
    const CampaignPlan& plan() const { return m_plan; }
    const RunSpec& run(std::size_t index) const { return m_plan.runs.at(index); }
    fs::path folder() const { return layout::campaignFolder(root(), m_plan.campaign); }
    fs::path attempt(std::size_t index, int number = 1) const
    {
        return layout::attemptFolder(root(), run(index).id, number);
    }

    /// Before a runner is started: after how many seconds without progress the plan calls a run hung.
    void setHungAfter(int seconds);
    /// Starts a runner; its limits are `timeScale` times the real ones.
    Process startRunner(double timeScale = 0.1) const;
    std::vector<JournalEvent> journal() const;
    std::string story() const { return storyOf(m_plan, journal()); }
    std::vector<JournalEvent> endsOf(std::size_t index) const;
    /// Touches a file of the control folder.
    void control(const fs::path& file) const;
    /// Waits until rank 0 of the first attempt of this run has written a sample.
    bool trains(std::size_t index, int number = 1) const;
    /// Pids of the worker's processes of this run, ranks and then servers; all are there, or the test fails.
    std::vector<pid_t> ranks(std::size_t index) const;
    /// The same; -1 for one that is not there.
    std::vector<pid_t> ranksThatRun(std::size_t index) const;

    /// Whatever starts the ranks: all of the first run know their places and are done; one that is killed is named, and
    /// the others end; without their runner they end, too.
    void checkThatRanksKnowTheirPlaces() const;
    void checkThatAKilledRankIsNamed(std::size_t index, int rank) const;
    void checkThatRanksEndWithout(const Process& runner, std::size_t index) const;

private:
    TemporaryFolder m_folder;
    fs::path m_root;
    CampaignPlan m_plan;
};

} // namespace ringside::test
