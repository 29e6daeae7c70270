// SPDX-License-Identifier: MIT
#include "agent/runner/runner.h"

#include "agent/runner/allocation.h"
#include "agent/runner/attempt.h"
#include "agent/runner/campaignlock.h"
#include "agent/runner/command.h"
#include "agent/runner/controls.h"
#include "agent/runner/history.h"
#include "agent/runner/journalwriter.h"
#include "agent/runner/launch.h"
#include "agent/runner/lease.h"
#include "agent/runner/lostattempt.h"
#include "agent/runner/planfile.h"
#include "agent/runner/procfs.h"
#include "agent/runner/scratch.h"
#include "agent/runner/signals.h"
#include "agent/runner/signoflife.h"
#include "core/base/clock.h"
#include "core/base/regularfile.h"
#include "core/base/retrywhilediskfull.h"
#include "core/base/say.h"
#include "core/base/text.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <csignal>
#include <ranges>
#include <sys/prctl.h>

namespace ringside::runner {

namespace {

void say(const std::string& text)
{
    sayErrorLine(isoTime(wallNs()) + " " + text);
}

/// The text for others who wait for this campaign's lock.
std::string ownerName(const CampaignPlan& plan)
{
    return fmt::format("{} ({})", plan.experiment, plan.campaign.str());
}

Reason becauseBusy(const CampaignLock::Holder& holder)
{
    Reason reason = because(why::kBusy, {{"holder", holder.name}});
    if (holder.held)
        reason.add("held", 1);
    return reason;
}

Reason becauseTooFew(std::size_t needed, std::size_t nodes, bool inJob)
{
    Reason reason = because(why::kTooFewNodes, {{"needed", static_cast<std::int64_t>(needed)},
                                                {"nodes", static_cast<std::int64_t>(nodes)}});
    if (inJob)
        reason.add("in_job", 1);
    return reason;
}

/// Returns whether an attempt was not begun for want of space, which is not the run's fault, nor cured by the next one.
bool isForSpace(const OrReason<Verdict>& verdict)
{
    return !verdict && verdict.error().code == why::kNoSpace;
}

Error stillFull(const Reason& reason)
{
    return {ErrorCode::noSpace, fmt::format("There is no space left in {}; the runner ends.", reason.word("folder")),
            "Free some space there. A later runner goes on with this run."};
}

class Runner
{
public:
    Runner(fs::path campaign, jobs::SitePaths paths, CampaignPlan plan, History history, JournalWriter journal,
           std::optional<Allocation> allocation, const Limits& limits)
        : m_campaign(std::move(campaign))
        , m_paths(std::move(paths))
        , m_plan(std::move(plan))
        , m_history(std::move(history))
        , m_journal(std::move(journal))
        , m_allocation(std::move(allocation))
        , m_limits(limits.hungAfter(std::chrono::seconds(m_plan.hungAfterSeconds)))
        , m_controls(m_campaign)
    {
    }

    Result<RunnerEnd> run();

private:
    Result<void> endLostAttempts();
    void endLostAttempt(const RunId& run, int attempt);
    void awaitLeftovers(const fs::path& attempt);
    void awaitEndsElsewhere(const fs::path& attempt, int processes);
    Result<void> awaitCampaignLock();
    Result<void> carryOutAll();
    void setDeadline();
    OrReason<std::vector<std::string>> hostsFor(const RunSpec& run) const;
    const std::string& mpirunVersion();
    Result<void> awaitRelease(const RunSpec& run);
    Result<void> consider(const RunSpec& run);
    Result<void> carryOut(const RunSpec& run);
    Result<Verdict> carryOutOnce(const RunSpec& run, bool again);
    OrReason<Verdict> attempt(const RunSpec& run, int number);
    void leaveOutPause(std::int64_t timeNs);
    StopReason stopReason(const RunSpec& run);
    bool isOpen(const RunSpec& run) const;
    bool hasOpenRuns() const;
    bool fits(const RunSpec& run) const;
    bool timeIsUp() const;
    bool mustEnd();
    std::optional<Error> findLoss() const;
    Result<RunnerEnd> finish();
    const RunSpec* find(const RunId& run) const;

    fs::path m_campaign;
    jobs::SitePaths m_paths;
    CampaignPlan m_plan;
    History m_history;
    JournalWriter m_journal;
    std::optional<Allocation> m_allocation;     ///< of the job that this process runs in
    std::optional<std::string> m_mpirunVersion; ///< once it was asked
    Limits m_limits;
    Controls m_controls;
    Signals m_signals;
    std::map<std::string, double> m_longest; ///< seconds, by configuration key
    std::optional<std::int64_t> m_deadlineNs;
    std::int64_t m_pausedNs = 0;                ///< in all attempts
    std::optional<CampaignLock> m_campaignLock; ///< of this computer
    bool m_timeIsUp = false;
    std::optional<Error> m_loss; ///< of the campaign, which is no longer this runner's
};

Result<RunnerEnd> Runner::run()
{
    m_journal.runnerStarted();
    TRY(endLostAttempts());
    if (!m_allocation) // in a job the computers are ours already
        TRY(awaitCampaignLock());
    setDeadline();
    TRY(carryOutAll());
    return finish();
}

/// The end of the plan's time or of the job's, whichever comes first, with time to end an attempt before it.
void Runner::setDeadline()
{
    if (m_allocation)
        m_deadlineNs = m_allocation->endsNs;
    if (m_plan.timeLimitSeconds)
        m_deadlineNs = std::min(m_deadlineNs.value_or(INT64_MAX),
                                monotonicNs() + *m_plan.timeLimitSeconds * std::int64_t{1'000'000'000});
    if (m_deadlineNs)
        *m_deadlineNs -= toNs(m_limits.grace + m_limits.lostGrace);
}

Result<void> Runner::carryOutAll()
{
    for (const RunSpec& run : m_plan.runs) {
        TRY(awaitRelease(run));
        if (mustEnd())
            break;
        TRY(consider(run));
    }
    return {};
}

Result<void> Runner::endLostAttempts()
{
    for (const auto& [run, seconds] : m_history.lengths)
        if (const RunSpec* spec = find(run))
            m_longest[spec->configurationKey] = std::max(m_longest[spec->configurationKey], seconds);
    for (const auto& [run, attempt] : m_history.open)
        endLostAttempt(run, attempt);
    return m_journal.drain();
}

/// The ranks may have ended without a runner to note it.
void Runner::endLostAttempt(const RunId& run, int attempt)
{
    const fs::path folder = layout::attemptFolder(m_paths.root, run, attempt);
    const RunSpec* spec = find(run);
    awaitLeftovers(folder);
    if (spec)
        awaitEndsElsewhere(folder, spec->processes());
    removeScratchOf(folder);
    Verdict verdict = spec ? verdictOnLost(m_plan, *spec, folder) : Verdict{};
    if (verdict.state != RunState::done) {
        const bool again = ++m_history.lost[run] < kMaxLostAttempts;
        verdict = {again ? RunState::requeued : RunState::failed, Cause::runnerLost,
                   again ? because(why::kRunnerDied)
                         : because(why::kRunnerDiedOften, {{"attempts", kMaxLostAttempts}})};
    }
    if (verdict.state != RunState::requeued)
        m_history.finished.insert(run);
    say(fmt::format("Attempt {} of run {} had lost its runner.", attempt, run.str()));
    m_journal.attemptEnded(run, attempt, verdict);
}

/// Guards end their ranks when the runner dies; only what resists that is killed here. Processes are known by their
/// environment, and one in the middle of exec shows none: gone is what two looks in a row do not find.
void Runner::awaitLeftovers(const fs::path& attempt)
{
    const std::int64_t killAtNs = monotonicNs() + toNs(m_limits.grace), untilNs = killAtNs + toNs(m_limits.dying);
    for (int calm = 0; calm < 2;) {
        const auto left = processesOf(attempt);
        calm = left.empty() ? calm + 1 : 0;
        if (calm == 0 && monotonicNs() > untilNs)
            return say(outlivesKill(left.size()));
        if (monotonicNs() > killAtNs)
            for (const pid_t pid : left)
                ::kill(pid, SIGKILL);
        m_signals.wait(m_limits.look);
    }
}

/// Guards on other hosts, whose processes are not seen here, end their ranks once the runner has written no heartbeat
/// for some seconds, and record their ends. One whose host is gone records none.
void Runner::awaitEndsElsewhere(const fs::path& attempt, int processes)
{
    constexpr std::chrono::seconds kMost{12}; // a guard's patience, and the grace of its rank
    std::error_code ignored;
    if (!fs::exists(layout::runnerHeartbeatFile(attempt), ignored))
        return;
    const auto isRecorded = [&](int rank) { return readRankExit(attempt, rank).has_value(); };
    const auto ranks = std::views::iota(0, processes);
    const std::int64_t until = monotonicNs() + toNs(kMost);
    while (!std::ranges::all_of(ranks, isRecorded) && monotonicNs() < until)
        m_signals.wait(m_limits.look);
}

/// Journals which campaign has the lock and whether that one is held, each time that either changes.
Result<void> Runner::awaitCampaignLock()
{
    TRY_ASSIGN(CampaignLock lock, CampaignLock::open(m_paths.root));
    m_campaignLock.emplace(std::move(lock));
    const bool isTaken = m_campaignLock->take({ownerName(m_plan)});
    if (m_campaignLock->isShared())
        say(fmt::format("{} has no locks: other campaigns may run on this computer meanwhile, and disturb this one.",
                        m_paths.root.string()));
    if (isTaken)
        return {};
    std::optional<CampaignLock::Holder> told;
    while (!mustEnd() && hasOpenRuns() && !m_campaignLock->take({ownerName(m_plan)})) {
        if (const CampaignLock::Holder holder = m_campaignLock->holder(); told != holder) {
            m_journal.waits(becauseBusy(holder));
            told = holder;
        }
        m_signals.wait(m_limits.look);
        TRY(m_journal.flush());
    }
    m_journal.continued();
    return {};
}

/// True if asked to end, or if the campaign is no longer this runner's.
bool Runner::mustEnd()
{
    if (!m_loss && (m_loss = findLoss()))
        m_journal.close();
    return m_loss || m_signals.toldToEnd();
}

/// Its controls may have gone with its folder, or a scheduler that lost sight of this node has begun its job anew on
/// others.
std::optional<Error> Runner::findLoss() const
{
    if (m_controls.isGone(m_limits.look))
        return Error{ErrorCode::notFound,
                     fmt::format("{} was removed while its runner worked; the runner ends.", m_campaign.string()),
                     "Launch the campaign again if it is still wanted."};
    if (isThere(layout::leaseFolder(m_campaign, m_journal.lease() + 1)))
        return Error{ErrorCode::busy,
                     fmt::format("A later runner carries out {}, so this one ends.", m_campaign.string()),
                     "The later one does what is missing."};
    return std::nullopt;
}

bool Runner::timeIsUp() const
{
    return m_signals.warnedOfTime() || (m_deadlineNs && monotonicNs() >= *m_deadlineNs);
}

/// Held is what could begin: what is done or cancelled waits for nothing, nor does anything beyond the time limit.
Result<void> Runner::awaitRelease(const RunSpec& run)
{
    const auto waits = [&] { return m_controls.hold() && isOpen(run) && !timeIsUp() && !mustEnd(); };
    if (!waits())
        return {};
    m_journal.held();
    if (m_campaignLock)
        m_campaignLock->describe({ownerName(m_plan), true});
    while (waits()) {
        m_signals.wait(m_limits.look);
        TRY(m_journal.flush());
    }
    if (m_campaignLock)
        m_campaignLock->describe({ownerName(m_plan)});
    m_journal.continued();
    return {};
}

bool Runner::isOpen(const RunSpec& run) const
{
    return !m_history.finished.contains(run.id) && !m_controls.cancel(run.id);
}

bool Runner::hasOpenRuns() const
{
    return !m_controls.cancelAll() && std::ranges::any_of(m_plan.runs, [this](const auto& run) { return isOpen(run); });
}

Result<void> Runner::consider(const RunSpec& run)
{
    if (m_history.finished.contains(run.id))
        return {};
    if (m_controls.cancel(run.id)) {
        m_journal.attemptEnded(run.id, 0, {RunState::cancelled, Cause::cancelled, because(why::kCancelledBefore)});
        return {};
    }
    if (!fits(run)) {
        say(fmt::format("Run {} does not fit into what is left of the time limit.", run.number));
        m_timeIsUp = true;
        return {};
    }
    return carryOut(run);
}

bool Runner::fits(const RunSpec& run) const
{
    if (m_signals.warnedOfTime())
        return false;
    if (!m_deadlineNs)
        return true;
    const auto longest = m_longest.find(run.configurationKey);
    const double expected = longest == m_longest.end() ? 0 : longest->second;
    return static_cast<double>(*m_deadlineNs - monotonicNs()) * 1e-9 > expected;
}

/// In a job a node may refuse the first step after its own restart, for what it had left of the step of this name; the
/// next step has another name.
Result<void> Runner::carryOut(const RunSpec& run)
{
    TRY_ASSIGN(const Verdict verdict, carryOutOnce(run, m_allocation.has_value()));
    if (verdict.state == RunState::requeued && verdict.cause == Cause::launch)
        TRY(carryOutOnce(run, false));
    return {};
}

Result<Verdict> Runner::carryOutOnce(const RunSpec& run, bool again)
{
    // The disk may be full for a moment between two runs.
    int& number = m_history.attempts[run.id];
    TRY_ASSIGN(number, retryWhileDiskFull(m_limits.journal, [&] { return claimAttempt(m_paths.root, run, number); }));
    say(fmt::format("Run {}, attempt {}: {} rank{}.", run.number, number, run.ranks(), run.ranks() == 1 ? "" : "s"));
    m_journal.attemptStarted(run.id, number);
    TRY(m_journal.drain());
    const std::int64_t begunNs = monotonicNs() - m_pausedNs;
    auto verdict = attempt(run, number);
    const bool isFull = isForSpace(verdict);
    if (!verdict)
        verdict = Verdict{isFull ? RunState::requeued : RunState::failed, Cause::launch, verdict.error()};
    else if (again && verdict->cause == Cause::launch && !verdict->rank)
        verdict->state = RunState::requeued;
    if (verdict->state == RunState::done)
        m_longest[run.configurationKey] =
            std::max(m_longest[run.configurationKey], static_cast<double>(monotonicNs() - m_pausedNs - begunNs) * 1e-9);
    m_timeIsUp = m_timeIsUp || verdict->cause == Cause::timeLimit;
    say(fmt::format("Run {}: {}. {}", run.number, nameOf(verdict->state), jobs::sentenceOf(verdict->reason)));
    m_journal.attemptEnded(run.id, number, *verdict);
    if (isFull) {
        TRY(m_journal.drain());
        return tl::unexpected(stillFull(verdict->reason));
    }
    TRY(m_journal.flush());
    return *verdict;
}

/// The hosts of the processes of a run: the first nodes of the job, or of the plan's hosts. None: this computer.
OrReason<std::vector<std::string>> Runner::hostsFor(const RunSpec& run) const
{
    std::vector<std::string> hosts = m_allocation ? m_allocation->hosts : m_plan.hosts;
    const auto wanted = static_cast<std::size_t>(run.allNodes());
    if (hosts.size() < wanted && wanted > 1)
        return tl::unexpected(becauseTooFew(wanted, std::max<std::size_t>(hosts.size(), 1), m_allocation.has_value()));
    hosts.resize(std::min(hosts.size(), wanted));
    const bool isHere = m_allocation ? run.processes() == 1 : hosts.size() == 1 && hosts[0] == nodeName();
    return isHere ? std::vector<std::string>{} : hosts;
}

/// Asks once which MPI is there, since the site's modules are loaded here.
const std::string& Runner::mpirunVersion()
{
    if (!m_mpirunVersion) {
        const auto answer = ask({"mpirun", "--version"});
        m_mpirunVersion = answer && answer->code == 0 ? answer->output : std::string();
    }
    return *m_mpirunVersion;
}

OrReason<Verdict> Runner::attempt(const RunSpec& run, int number)
{
    jobs::AttemptPlace place;
    place.number = number;
    TRY_ASSIGN(place.hosts, hostsFor(run));
    if (jobs::dependsOnMpi(m_plan.launcher) && (run.processes() > 1 || !place.hosts.empty()))
        place.mpirunVersion = mpirunVersion();
    if (m_allocation)
        place.scheduler = m_allocation->scheduler;
    const fs::path folder = layout::attemptFolder(m_paths.root, run.id, number);
    const auto written = retryWhileDiskFull(m_limits.journal, [&] { return tryToWrite(folder); });
    if (!written)
        return tl::unexpected(becauseUnwritten(folder, written.error()));
    TRY_ASSIGN(const auto attempt, Attempt::start(m_plan, run, m_paths, std::move(place), m_limits));
    for (std::int64_t pausedNs = 0; attempt->turn(); pausedNs = attempt->pausedNs()) {
        leaveOutPause(attempt->pausedNs() - pausedNs); // before the clock is asked for the time limit
        if (const StopReason reason = stopReason(run); reason != StopReason::none)
            attempt->stop(reason);
        m_signals.wait(m_limits.look);
    }
    return attempt->verdict();
}

/// A scheduler that suspends a job moves its end by that time. Where a computer stood still for another reason it does
/// not, and its warning comes before the deadline here.
void Runner::leaveOutPause(std::int64_t timeNs)
{
    m_pausedNs += timeNs;
    if (m_deadlineNs)
        *m_deadlineNs += timeNs;
}

StopReason Runner::stopReason(const RunSpec& run)
{
    if (m_controls.cancel(run.id))
        return StopReason::cancelled;
    if (mustEnd())
        return StopReason::preempted;
    return timeIsUp() ? StopReason::timeLimit : StopReason::none;
}

Result<RunnerEnd> Runner::finish()
{
    if (m_loss)
        return tl::unexpected(*m_loss);
    if (m_controls.cancelAll())
        m_journal.runnerEnded(RunState::cancelled, because(why::kCancelled));
    else if (m_signals.toldToEnd())
        say("Asked to stop. The campaign continues when a runner is started again.");
    else if (m_timeIsUp)
        m_journal.runnerEnded(RunState::requeued, because(why::kTimeUp));
    else
        m_journal.runnerEnded(RunState::done, {});
    TRY(m_journal.drain());
    const bool over = m_controls.cancelAll() || !m_signals.toldToEnd();
    return over ? RunnerEnd::campaignOver : RunnerEnd::toldToEnd;
}

const RunSpec* Runner::find(const RunId& run) const
{
    const auto found = std::ranges::find(m_plan.runs, run, &RunSpec::id);
    return found == m_plan.runs.end() ? nullptr : &*found;
}

} // namespace

Result<RunnerEnd> runCampaign(const fs::path& campaign, const fs::path& agent, const Limits& limits)
{
    TRY_ASSIGN(CampaignPlan plan, readPlan(campaign));
    forgetEndedJob(); // before the lease and the allocation are of a job
    TRY_ASSIGN(const LeaseOwner self, thisOwner());
    // A job that has waited for hours is not thrown away for a disk that is full for a moment.
    const IsOver isOver = [&](const fs::path&) { return isCancelUnheeded(campaign); };
    TRY_ASSIGN(const int lease, retryWhileDiskFull(limits.journal, [&] { return claimLease(campaign, self, isOver); }));
    TRY_ASSIGN(History history, readHistory(campaign));
    if (history.ended)
        return RunnerEnd::campaignOver;
    TRY(retryWhileDiskFull(limits.journal,
                           [&] { return writeFileAtomically(layout::jobFile(campaign), self.jobId() + "\n"); }));
    TRY_ASSIGN(Journal journal, Journal::open(layout::journalFile(campaign)));
    TRY_ASSIGN(auto allocation, thisAllocation());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    removeForsakenScratch();
    Runner runner(campaign, {campaign.parent_path().parent_path(), agent}, std::move(plan), std::move(history),
                  JournalWriter(std::move(journal), lease, limits.journal), std::move(allocation), limits);
    return runner.run();
}

} // namespace ringside::runner
