// SPDX-License-Identifier: MIT
#include "agent/runner/guard.h"

#include "agent/rank/cores.h"
#include "agent/runner/allocation.h"
#include "agent/runner/launch.h"
#include "agent/runner/launcherplace.h"
#include "agent/runner/leftovers.h"
#include "agent/runner/limits.h"
#include "agent/runner/nodefolder.h"
#include "agent/runner/procfs.h"
#include "agent/runner/rankexit.h"
#include "agent/runner/runnerwatch.h"
#include "agent/runner/scratch.h"
#include "agent/runner/spinning.h"
#include "agent/runner/systemrank.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/rankvariables.h"
#include "core/base/retrywhilediskfull.h"
#include "core/jobs/launchers/table.h"
#include "core/protocol/jobvariables.h"
#include "core/protocol/layout.h"
#include "core/protocol/nodefolder.h"
#include "core/protocol/states.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::runner {

namespace {

using std::chrono::milliseconds;

/// From SIGTERM to SIGKILL. Together with noticing the runner's death it stays below the 10 s that are promised.
constexpr milliseconds kGrace{8'000};
/// The period of reading a process's output: a kill costs as much of the record as one of our worker's.
constexpr milliseconds kRead = kFlushInterval;
sigset_t guardedSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
        sigaddset(&set, signal);
    return set;
}

/// The rank's environment.
std::map<std::string, std::string> variablesFor(const GuardOptions& options, int rank)
{
    std::map<std::string, std::string> variables{{kRankVariable, options.attempt.string()},
                                                 {kOneRankVariable, layout::rankLog(options.attempt, rank).string()}};
    if (const jobs::Scheduler* scheduler = thisScheduler())
        variables[kJobVariablesVariable] = scheduler->variables().prefix;
    if (options.ranks) {
        variables[kTcpRankVariable] = std::to_string(rank);
        variables[kTcpRanksVariable] = std::to_string(*options.ranks);
        variables[kTcpMeetingVariable] = layout::meetingFile(options.attempt).string();
    }
    return variables;
}

/// For a child; this process has its own again afterwards.
class BoundTo
{
public:
    explicit BoundTo(const std::vector<int>& cores)
        : m_mine(usableCores())
    {
        if (!cores.empty())
            m_bound = bindTo(cores);
    }
    ~BoundTo() { static_cast<void>(bindTo(m_mine)); }
    BoundTo(const BoundTo&) = delete;
    BoundTo& operator=(const BoundTo&) = delete;
    const Result<void>& outcome() const { return m_bound; }

private:
    std::vector<int> m_mine;
    Result<void> m_bound;
};

/// MPICH's mpirun communicates with a rank through a descriptor that the rank inherits.
Result<pid_t> startRank(const GuardOptions& options, const SystemRank* system, int rank, int log)
{
    auto variables = variablesFor(options, rank);
    if (system)
        variables.insert(system->start().environment.begin(), system->start().environment.end());
    else
        boundSpinning(); // of our own worker
    const BoundTo bound(system ? system->cores() : std::vector<int>());
    TRY(bound.outcome());
    return startChild({.arguments = system ? system->start().command : options.command,
                       .environment = environmentWith(variables),
                       .folder = system ? system->start().folder : fs::path(),
                       .input = STDIN_FILENO,
                       .output = log,
                       .errors = log,
                       .group = ChildStart::Group::ours,
                       .deathSignal = SIGKILL,
                       .inheritsDescriptors = true});
}

/// Watches one rank's process until it ends.
class Guard
{
public:
    Guard(pid_t child, OutputRecords* records, int signals, int control, std::optional<RunnerWatch> heartbeat)
        : m_child(child)
        , m_records(records)
        , m_signals(signals)
        , m_control(control)
        , m_runnerWatch(std::move(heartbeat))
    {
    }

    /// nullopt if it is not known how the process ended.
    std::optional<RankExit> watch()
    {
        const auto status = awaitEnd();
        if (!status)
            return std::nullopt;
        RankExit exit = RankExit::fromWaitStatus(*status);
        exit.told = wasToldToEnd(exit);
        exit.atNs = monotonicNs();
        exit.host = nodeName();
        exit.memoryRanOut = exit.signal == SIGKILL && !m_gaveItUp && wasKilledForMemory();
        exit.suspended = m_gaveItUp;
        exit.peakBytes = static_cast<std::uint64_t>(m_usage.ru_maxrss) * 1024;
        return exit;
    }

    /// After an order, and the end of its own rank: acts for the node until the other ranks are gone, too.
    void seeOthersOff() const
    {
        while (m_runnerWatch && m_toldNs && monotonicNs() < m_killNs && m_runnerWatch->signalRanks(0))
            poll(nullptr, 0, 100);
        if (m_runnerWatch && m_toldNs)
            m_runnerWatch->signalRanks(SIGKILL);
    }

private:
    /// Not where it was dying of something else by then. A signal to the whole process group reaches both of them; and
    /// one that ends well at once may do so because of the order.
    bool wasToldToEnd(const RankExit& exit) const
    {
        return m_toldNs != 0 && (!m_diedBefore || exit.clean() || (exit.signal != 0 && exit.signal == m_toldBy));
    }

    /// A count that could not be read before says nothing about what was added.
    bool wasKilledForMemory()
    {
        const auto kills = outOfMemoryKills();
        return (kills && m_memoryKills && *kills > *m_memoryKills) || m_kernelLog.namesAsKilled(m_child);
    }

    /// nullopt if another one has reaped it.
    std::optional<int> awaitEnd()
    {
        for (int status = 0;;) {
            const pid_t news = wait4(m_child, &status, WNOHANG | WUNTRACED | WCONTINUED, &m_usage);
            if (news < 0)
                return std::nullopt;
            if (news == 0)
                stayBeside();
            else if (WIFSTOPPED(status))
                m_stoodNs = 0;
            else if (WIFCONTINUED(status))
                m_stoodNs.reset();
            else
                return status;
        }
    }

    /// A rank that stands has as many turns as its patience has; a time would be over at once where this process was
    /// suspended with it, before it could be told that the rank has gone on.
    void stayBeside()
    {
        if (m_stoodNs && *m_stoodNs >= m_patienceNs) {
            m_gaveItUp = true;
            kill(m_child, SIGKILL);
        }
        const std::int64_t begunNs = monotonicNs();
        turn();
        if (m_stoodNs)
            *m_stoodNs += std::min(monotonicNs() - begunNs, toNs(period()));
    }

    milliseconds period() const { return m_records ? kRead : kLook; }

    void turn()
    {
        pollfd set[] = {{m_signals, POLLIN, 0}, {m_toldNs ? -1 : m_control, POLLIN, 0}};
        poll(set, 2, static_cast<int>(period().count()));
        if (m_records)
            m_records->look();
        if (m_records && m_records->refusal())
            kill(m_child, SIGKILL);
        if (readSignals() || (!m_toldNs && runnerIsGone()))
            tell(kGrace);
        if (m_runnerWatch && !m_toldNs)
            if (const auto grace = m_runnerWatch->look(monotonicNs()))
                tell(*grace);
        if (m_toldNs && monotonicNs() >= m_killNs)
            killNow();
    }

    /// Returns whether one of them is an order to end.
    bool readSignals()
    {
        bool told = false;
        signalfd_siginfo info;
        while (read(m_signals, &info, sizeof info) == sizeof info)
            if (info.ssi_signo != SIGCHLD) {
                m_toldBy = static_cast<int>(info.ssi_signo);
                told = true;
            }
        return told;
    }

    /// The runner never writes: end of file means that no process holds the other end.
    bool runnerIsGone()
    {
        char byte;
        return m_control >= 0 && read(m_control, &byte, 1) == 0;
    }

    /// A request that comes after the rank's end, or while it dies, did not end it: a launcher that loses contact with
    /// a rank ends the others, and this guard with them, before the kernel reports the end of the rank.
    void tell(milliseconds grace)
    {
        if (hasEnded())
            return;
        if (!m_toldNs)
            m_diedBefore = isDying(m_child);
        kill(m_child, SIGTERM);
        if (m_toldNs)
            return;
        m_toldNs = monotonicNs();
        m_killNs = m_toldNs + toNs(grace);
        if (m_runnerWatch)
            m_runnerWatch->endOthers();
    }

    /// Leaves it to be reaped.
    bool hasEnded() const
    {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(m_child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    }

    void killNow()
    {
        kill(m_child, SIGKILL);
        if (m_runnerWatch)
            m_runnerWatch->signalRanks(SIGKILL);
    }

    pid_t m_child;
    OutputRecords* m_records; ///< of a process that does not record itself; else nullptr
    int m_signals;
    int m_control;
    std::optional<RunnerWatch> m_runnerWatch;
    std::optional<std::uint64_t> m_memoryKills = outOfMemoryKills();
    KernelLog m_kernelLog{kernelLogFile()};
    rusage m_usage{}; ///< of the child, once it ended
    std::int64_t m_toldNs = 0;
    int m_toldBy = 0;          ///< the signal that was the order, if it was one
    bool m_diedBefore = false; ///< when it was told to end it was dying
    std::int64_t m_killNs = 0;
    /// Its silence ends the attempt once it has a spool; before, its peers wait for it without one of their own.
    std::int64_t m_patienceNs = toNs(Limits::fromEnvironment().silence);
    std::optional<std::int64_t> m_stoodNs; ///< for how long; none: it runs
    bool m_gaveItUp = false;
};

/// A pipe that is gone means that the runner is, too.
Result<int> openControl(const std::optional<fs::path>& path)
{
    if (!path)
        return -1;
    const int fd = ::open(path->c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError("cannot watch the runner through", *path, errno));
    return fd;
}

/// On a node of its own a rank's guard makes, and removes, the folder that the runner makes for ranks beside it: for
/// the memory that ranks share, which an MPI leaves behind when it is killed. Users' own settings stay.
std::optional<Scratch> makeSharedMemory(const GuardOptions& options)
{
    Result<Scratch> scratch =
        options.runnerHeartbeat ? Scratch::make(kSharedMemoryBase, options.attempt) : fail(ErrorCode::notFound, {});
    if (!scratch) // then it is where Open MPI puts it
        return std::nullopt;
    for (const jobs::Launcher* launcher : jobs::launchers())
        if (const std::string variable(launcher->sharedMemoryVariable()); !variable.empty())
            setenv(variable.c_str(), scratch->path().c_str(), 0);
    return std::optional<Scratch>(std::move(*scratch));
}

/// The heartbeat is not watched meanwhile, and other ranks may wait for this one.
constexpr std::chrono::milliseconds kTidyFirst{10'000};

/// A guard beside its runner gets the folder from it: TMPDIR is not the user's there. Passes it to the rank, and
/// removes leftovers of killed guards from this node's disk.
fs::path prepareNodeFolder(const GuardOptions& options)
{
    const char* told = options.runnerHeartbeat ? nullptr : environment(kNodeFolderVariable);
    fs::path folder = told ? fs::path(told) : nodeFolderOf(options.attempt);
    setenv(kNodeFolderVariable, folder.c_str(), 1);
    if (isFirstOfNode())
        removeForsakenNodeFolders(folder.parent_path(), kTidyFirst);
    if (isFirstOfNode() && options.runnerHeartbeat) // beside its runner that has seen to it
        removeForsakenScratch(kSharedMemoryBase);
    return folder;
}

std::optional<RunnerWatch> runnerWatchOf(const GuardOptions& options)
{
    return options.runnerHeartbeat
               ? std::optional<RunnerWatch>(std::in_place, options.attempt, *options.runnerHeartbeat)
               : std::nullopt;
}

void record(const GuardOptions& options, int rank, const RankExit& exit, int log)
{
    const auto written =
        retryWhileDiskFull(kDiskFullPatience, [&] { return writeRankExit(options.attempt, rank, exit); });
    if (!written)
        dprintf(log, "%s\n", written.error().text().c_str());
}

/// Leftovers of a rank have a look's time, as on the runner's own computer. A clean end is recorded behind that,
/// with what had to be ended: the others do not wait for it. Any other ends the attempt, so it is recorded at once.
void finish(const GuardOptions& options, int rank, RankExit& exit, const Guard& watcher, int log)
{
    const milliseconds patience = Limits::fromEnvironment().look;
    const bool ledToTheEnd = exit.clean() && !exit.told;
    if (options.runnerHeartbeat && ledToTheEnd)
        exit.wentOn = awaitLeftovers(options.attempt, rank, patience);
    record(options, rank, exit, log);
    watcher.seeOthersOff();
    if (!options.runnerHeartbeat)
        return;
    if (!ledToTheEnd)
        awaitLeftovers(options.attempt, rank, patience);
    killLeftovers(options.attempt, rank);
}

/// As a shell would end, or our own worker on a full disk.
int notStarted(const GuardOptions& options, int rank, const Reason& reason, int log)
{
    RankExit exit;
    noteWhy(exit, rank, reason, log);
    exit.code = reason.code == why::kNoSpace ? exitcode::kNoSpace : 127;
    exit.atNs = monotonicNs();
    exit.host = nodeName();
    record(options, rank, exit, log);
    return exit.code;
}

/// nullptr for a command of our own. An order to end also ends its wait for others.
OrReason<std::unique_ptr<SystemRank>> prepareSystem(const GuardOptions& options, int rank, int signals, int control)
{
    if (options.run.empty())
        return nullptr;
    TRY_ASSIGN(const RunId run, RunId::parse(options.run).map_error(becauseOf));
    SystemRankOptions system{options.attempt,
                             options.plan,
                             layout::rankLog(options.attempt, rank),
                             run,
                             rank,
                             localRank(),
                             !options.runnerHeartbeat,
                             {}};
    system.isToEnd = [=] {
        pollfd set[] = {{signals, POLLIN, 0}, {control, POLLIN, 0}};
        return poll(set, 2, 0) > 0;
    };
    return SystemRank::prepare(system);
}

} // namespace

Result<int> guardRank(const GuardOptions& options)
{
    const auto rank = options.rank ? options.rank : rankOfLauncher();
    if (!rank)
        return fail(ErrorCode::usage, "This process has no rank.", "Start it by a launcher, or use --rank.");
    if (options.command.empty() && options.run.empty())
        return fail(ErrorCode::usage, "There is no command to start.", "Give a command after --, or --plan and --run.");
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (options.runnerHeartbeat) // beside it orphans are the runner's
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    TRY_ASSIGN(const Descriptor log, openLog(layout::rankLog(options.attempt, *rank)));
    TRY_ASSIGN(const int control, openControl(options.control));
    const auto sharedMemory = makeSharedMemory(options);
    const fs::path nodeFolder = prepareNodeFolder(options);
    const sigset_t set = guardedSignals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    const int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    const auto system = prepareSystem(options, *rank, signals, control);
    if (!system)
        return notStarted(options, *rank, system.error(), log.get());
    const auto child = startRank(options, system->get(), *rank, log.get());
    if (!child)
        return notStarted(options, *rank, becauseOf(child.error()), log.get());
    OutputRecords* records = *system ? &(*system)->records() : nullptr;
    if (records)
        records->watch(*child, (*system)->gpuReadings(*child, log.get()));
    Guard watcher(*child, records, signals, control, runnerWatchOf(options));
    auto exit = watcher.watch();
    if (!exit)
        return fail(ErrorCode::internal, "How the process of this rank ended is not known.");
    if (records)
        records->complete(*exit, log.get());
    finish(options, *rank, *exit, watcher, log.get());
    removeNodeFolder(nodeFolder, Limits().removing);
    return exit->shellCode();
}

Result<int> runApart(const std::vector<std::string>& guard)
{
    TRY_ASSIGN(const pid_t child, startChild({.arguments = guard,
                                              .input = STDIN_FILENO,
                                              .output = STDOUT_FILENO,
                                              .errors = STDERR_FILENO,
                                              .group = ChildStart::Group::own,
                                              .deathSignal = SIGTERM,
                                              .inheritsDescriptors = true}));
    return awaitChild(child);
}

} // namespace ringside::runner
