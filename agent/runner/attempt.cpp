// SPDX-License-Identifier: MIT
#include "agent/runner/attempt.h"

#include "agent/runner/lastwords.h"
#include "agent/runner/launch.h"
#include "agent/runner/nodefolder.h"
#include "agent/runner/procfs.h"
#include "core/base/clock.h"
#include "core/base/retrywhilediskfull.h"
#include "core/base/say.h"
#include "core/base/text.h"
#include "core/jobs/programs/table.h"
#include "core/protocol/layout.h"
#include "core/protocol/nodefolder.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ringside::runner {

namespace {

constexpr int kMaxAttempts = 2'000'000;
/// Part of the silence by which a rank is lost: a look that is as late comes from a process that stood still.
constexpr std::int64_t kLatePart = 4;

Result<Descriptor> makeControlPipe(const fs::path& path)
{
    if (::mkfifo(path.c_str(), 0600) != 0)
        return tl::unexpected(systemError("cannot create the pipe", path, errno));
    Descriptor pipe(::open(path.c_str(), O_RDWR | O_CLOEXEC)); // for both, so that it does not wait for a reader
    if (pipe.get() < 0)
        return tl::unexpected(systemError("cannot open the pipe", path, errno));
    return pipe;
}

bool isWritable(const fs::path& attempt)
{
    const auto written = tryToWrite(attempt);
    return written || written.error().code != ErrorCode::noSpace;
}

OrReason<Scratch> makeScratch(const fs::path& base, const fs::path& attempt, milliseconds patience)
{
    auto made = retryWhileDiskFull(patience, [&] { return Scratch::make(base, attempt); });
    if (!made)
        return tl::unexpected(becauseUnwritten(base, made.error()));
    return std::move(*made);
}

/// A folder can be made where a launcher's files find no room.
OrReason<void> waitForRoom(const fs::path& scratch, milliseconds patience)
{
    return retryWhileDiskFull(patience, [&] { return tryToWrite(scratch); }).map_error([&](const Error& error) {
        return becauseUnwritten(scratch.parent_path(), error);
    });
}

/// An empty one has no head yet.
bool hasSpool(const fs::path& spool)
{
    std::error_code problem;
    const auto bytes = fs::file_size(spool, problem);
    return !problem && bytes > 0;
}

/// The runner starts nothing else meanwhile, and is the subreaper of what it has started.
std::vector<pid_t> allProcesses(const fs::path& attempt)
{
    return together(processesOf(attempt), descendants());
}

/// Processes of ranks by their mark, and those that have none any more; neither launchers nor guards, which have one
/// until they end.
std::size_t countOfRanks(const fs::path& attempt)
{
    std::vector<pid_t> unmarked = descendants();
    const std::vector<pid_t> marked = processesOf(attempt);
    std::erase_if(unmarked, [&](pid_t pid) { return std::ranges::find(marked, pid) != marked.end() || isDying(pid); });
    return processesOf(attempt, kRankVariable).size() + unmarked.size();
}

void killAll(const fs::path& attempt)
{
    for (const pid_t pid : allProcesses(attempt))
        ::kill(pid, SIGKILL);
}

} // namespace

Result<int> claimAttempt(const fs::path& root, const RunSpec& run, int last)
{
    TRY(makePrivateFolder(layout::runFolder(root, run.id)));
    for (int k = std::max(run.attempts, last) + 1; k <= kMaxAttempts; ++k) {
        const fs::path folder = layout::attemptFolder(root, run.id, k);
        if (::mkdir(folder.c_str(), 0700) == 0)
            return k;
        if (errno != EEXIST)
            return tl::unexpected(systemError("cannot create the folder", folder, errno));
    }
    return fail(ErrorCode::damaged,
                fmt::format("{} holds too many attempts.", layout::runFolder(root, run.id).string()));
}

std::string outlivesKill(std::size_t processes)
{
    return fmt::format("Processes of the attempt that were killed are still there ({}): a file system or a device that "
                       "does not answer holds them. They are not waited for, and end once it answers.",
                       processes);
}

Result<void> tryToWrite(const fs::path& attempt)
{
    constexpr std::size_t kPage = 4096;
    const fs::path probe = attempt / "room";
    auto written = writeFileAtomically(probe, std::string(kPage, '\0'));
    std::error_code ignored;
    fs::remove(probe, ignored);
    return written;
}

Attempt::Attempt(fs::path folder, Scratch scratch, Scratch shared, const Limits& limits, const CampaignPlan& plan,
                 const RunSpec& run)
    : m_folder(std::move(folder))
    , m_scratch(std::move(scratch))
    , m_shared(std::move(shared))
    , m_limits(limits)
    , m_copies(isNodeLocal(run.settings))
    , m_program(jobs::programOf(plan, run.settings))
{
    if (readsFiles(run.settings))
        m_limits.startUp = std::max(m_limits.startUp, m_limits.preparing);
    m_evidence = evidenceOf(run, *m_program);
    m_evidence.seenNs.resize(static_cast<std::size_t>(run.processes()));
    for (int rank = 0; rank < run.processes(); ++rank)
        m_ranks.emplace_back(layout::spoolFile(m_folder, rank), monotonicNs(), run.leads(rank));
}

Attempt::~Attempt()
{
    if (m_launcher > 0)
        killAll(m_folder);
    m_control.close();
    removeNodeFolderOf(m_folder); // whose guards had no time to
}

OrReason<std::unique_ptr<Attempt>> Attempt::start(const CampaignPlan& plan, const RunSpec& run,
                                                  const jobs::SitePaths& paths, jobs::AttemptPlace place,
                                                  const Limits& limits)
{
    const fs::path folder = layout::attemptFolder(paths.root, run.id, place.number);
    TRY_ASSIGN(Scratch scratch, makeScratch(temporaryBase(), folder, limits.journal));
    TRY(waitForRoom(scratch.path(), limits.journal)); // not in shared memory, which one process does not need
    TRY_ASSIGN(Scratch shared, makeScratch(sharedMemoryBase(run, layout::attemptLog(folder)), folder, limits.journal));
    place.temporaryFolder = scratch.path();
    place.sharedMemoryFolder = shared.path();
    place.nodeFolder = nodeFolderOf(folder);
    place.cores = static_cast<int>(std::thread::hardware_concurrency());
    TRY_ASSIGN(const jobs::AttemptCommand command, jobs::attemptCommand(plan, run, paths, place));
    TRY(checkPrograms(plan, run, paths, command));
    TRY(allowFiles(run, place.hosts.size()));
    std::unique_ptr<Attempt> attempt(new Attempt(folder, std::move(scratch), std::move(shared), limits, plan, run));
    attempt->m_evidence.launcherName = command.program.empty() ? "ringside-agent" : command.program;
    attempt->m_evidence.startedBy = command.launcher;
    TRY(attempt->tie(!place.hosts.empty()).map_error(becauseNotStarted));
    if (!command.hostsFile.empty())
        TRY(writeFileAtomically(command.hostsFile, command.hostsText).map_error(becauseNotStarted));
    TRY_ASSIGN(attempt->m_launcher, startSession(command, layout::attemptLog(folder)).map_error(becauseNotStarted));
    return attempt;
}

/// Before any guard is started.
Result<void> Attempt::tie(bool toHosts)
{
    if (toHosts) {
        TRY_ASSIGN(m_runnerHeartbeat, RunnerHeartbeat::make(layout::runnerHeartbeatFile(m_folder)));
    } else {
        TRY_ASSIGN(m_control, makeControlPipe(jobs::controlPipe(m_scratch.path())));
    }
    return {};
}

bool Attempt::turn()
{
    const std::int64_t nowNs = monotonicNs();
    reap();
    if (m_launcher < 0 && m_runnerHeartbeat)
        watchExits();
    if (m_launcher < 0 && allProcesses(m_folder).empty() && !isLeftElsewhere(nowNs))
        return false;
    if (isHeldUp(nowNs))
        return false;
    if (m_launcher < 0)
        endRanks(m_limits.lostGrace);
    if (nowNs >= m_lookAtNs && (m_launcher > 0 || m_runnerHeartbeat)) {
        leaveOutPause(nowNs);
        watchRanks(nowNs);
        watchExits();
        m_lookAtNs = nowNs + toNs(m_limits.look);
    }
    killIfOverdue(nowNs);
    return true;
}

/// On hosts whose processes are not seen from here: a rank without a recorded end has until its guard kills it.
bool Attempt::isLeftElsewhere(std::int64_t nowNs) const
{
    return m_runnerHeartbeat && m_recorded < m_ranks.size() && (!m_killAtNs || nowNs < *m_killAtNs);
}

/// Guards on other nodes, which end with their launcher, still remove the copies of pictures. Where the job's time is
/// up that is left to the next guard there: how the attempt ended has to be recorded.
bool Attempt::isTidying(std::int64_t nowNs) const
{
    const bool hasTime = m_evidence.stop != StopReason::timeLimit && m_evidence.stop != StopReason::preempted;
    if (!m_copies || !m_runnerHeartbeat || m_recorded < m_ranks.size() || !hasTime)
        return false;
    return nowNs < *std::ranges::max_element(m_evidence.seenNs) + toNs(m_limits.removing);
}

/// All children: orphans of the attempt come to the runner, too, which is their subreaper.
void Attempt::reap()
{
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid != m_launcher)
            continue;
        if (!m_launcherKilled)
            m_evidence.launcher = RankExit::fromWaitStatus(status);
        m_launcher = -1;
    }
}

/// A scheduler may suspend the job, and a host its virtual machine: when they go on the first look may come before a
/// rank could write that it lives.
void Attempt::leaveOutPause(std::int64_t nowNs)
{
    const std::int64_t lateNs = m_lookAtNs == 0 ? 0 : nowNs - m_lookAtNs;
    if (lateNs <= toNs(m_limits.silence) / kLatePart)
        return;
    for (RankWatch& rank : m_ranks)
        rank.leaveOut(lateNs);
    if (m_begunNs)
        *m_begunNs += lateNs;
    m_pausedNs += lateNs;
}

void Attempt::watchRanks(std::int64_t nowNs)
{
    for (RankWatch& rank : m_ranks) {
        rank.look(nowNs);
        if (rank.isHeard() && !m_begunNs)
            m_begunNs = nowNs;
    }
    forgiveWhileFull(nowNs);
    shareProgress();
    shareOutput(nowNs);
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        const RankHealth health = m_ranks[rank].health(nowNs, m_begunNs, m_limits);
        if (stopping() || health == RankHealth::well)
            continue;
        m_evidence.blamedFor = m_ranks[rank].unwellFor(health, nowNs, m_begunNs, m_limits);
        if (health == RankHealth::silent)
            blame(rank, StopReason::silentRank);
        else
            blameHung(nowNs);
    }
}

void Attempt::blame(std::size_t rank, StopReason reason)
{
    m_evidence.blamedRank = static_cast<int>(rank);
    m_evidence.blamedHost = m_ranks[rank].host();
    stop(reason);
}

/// Those that wait for it have come no further for as long.
void Attempt::blameHung(std::int64_t nowNs)
{
    const auto talked = [&](const RankWatch& rank) { return nowNs - rank.saidNs() < toNs(m_limits.startUp) / 2; };
    m_evidence.talked = std::ranges::any_of(m_ranks, talked);
    const auto hung = hungRank(stalled(nowNs));
    if (!hung)
        return stop(StopReason::hungRank);
    m_evidence.blamedPhase = m_ranks[static_cast<std::size_t>(*hung)].standing().phase;
    blame(static_cast<std::size_t>(*hung), StopReason::hungRank);
}

/// One that is through waits for the others, unless all are. A server is asked where every rank waits: as long as one
/// gets on, servers do.
std::vector<Stalled> Attempt::stalled(std::int64_t nowNs) const
{
    const auto isThrough = [](const RankWatch& watch) { return !watch.trains() || watch.isThrough() || watch.ended(); };
    const auto stands = [&](const RankWatch& watch) { return isThrough(watch) || watch.isStalled(nowNs, m_limits); };
    const bool allThrough = std::ranges::all_of(m_ranks, isThrough), allStand = std::ranges::all_of(m_ranks, stands);
    std::vector<Stalled> found;
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        const RankWatch& watch = m_ranks[i];
        const bool isStalled = watch.isStalled(nowNs, m_limits) && (allThrough || !watch.isThrough());
        if (!watch.ended() && (watch.trains() ? isStalled : allStand))
            found.push_back(
                {static_cast<int>(i), watch.trains(), watch.standing().phase, watch.standing().communication});
    }
    return found;
}

/// With asynchronous updates a quick rank may be through long before a slow one; and of a system's ranks one may print.
void Attempt::shareProgress()
{
    std::int64_t progressNs = 0;
    for (const RankWatch& rank : m_ranks)
        progressNs = std::max(progressNs, rank.progressNs());
    const bool reportByLines = std::ranges::any_of(m_ranks, &RankWatch::reportsByLines);
    for (RankWatch& rank : m_ranks)
        rank.waitForOthers(progressNs, reportByLines);
}

/// Once one has iterations: a start has its own limit, however much it prints. Where others get on, a rank that does
/// not has nothing to print about with them.
void Attempt::shareOutput(std::int64_t nowNs)
{
    if (std::ranges::none_of(m_ranks, &RankWatch::hasSamples))
        return;
    std::int64_t saidNs = 0;
    for (const RankWatch& rank : m_ranks)
        if (rank.isStalled(nowNs, m_limits))
            saidNs = std::max(saidNs, rank.saidNs());
    for (RankWatch& rank : m_ranks)
        rank.noteOutput(saidNs);
}

/// Without space no rank can write that it lives; it goes on, and what it holds back follows.
void Attempt::forgiveWhileFull(std::int64_t nowNs)
{
    const auto isQuiet = [&](const RankWatch& rank) { return rank.isQuiet(nowNs, m_begunNs, m_limits); };
    if (std::none_of(m_ranks.begin(), m_ranks.end(), isQuiet) || isWritable(m_folder))
        return;
    for (RankWatch& rank : m_ranks)
        rank.forgive(nowNs);
    if (m_begunNs)
        m_begunNs = nowNs;
}

/// Not left to mpirun, which ends ranks one after the other, with a pause after each.
void Attempt::watchExits()
{
    if (m_runnerHeartbeat)
        forgetAbsentFiles(m_folder);
    bool failed = false, isLed = true;
    m_recorded = 0;
    const std::int64_t nowNs = monotonicNs(); // of what one look finds none is known to be earlier
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        const auto exit = readRankExit(m_folder, static_cast<int>(rank));
        isLed = isLed && (exit || !m_ranks[rank].trains());
        if (!exit)
            continue;
        ++m_recorded;
        failed = failed || !exit->clean();
        if (m_evidence.seenNs[rank] == 0)
            m_evidence.seenNs[rank] = nowNs;
    }
    if (m_recorded == m_ranks.size())
        killLauncher();
    else if (failed || (isLed && anyServe(m_evidence.roles))) // to the end: what serves goes on for ever
        endRanks(m_limits.lostGrace);
    else if (isLed)
        endHelpers(nowNs);
}

/// They end by themselves, before or after the ranks. One that hangs is noticed, and no rank waits for it any more.
void Attempt::endHelpers(std::int64_t nowNs)
{
    std::int64_t ledUntilNs = 0;
    for (std::size_t process = 0; process < m_ranks.size(); ++process)
        if (m_ranks[process].trains())
            ledUntilNs = std::max(ledUntilNs, m_evidence.seenNs[process]);
    if (m_killAtNs || nowNs < ledUntilNs + toNs(m_limits.others))
        return;
    m_evidence.helpedTooLong = true;
    for (std::size_t process = 0; process < m_ranks.size(); ++process)
        if (m_evidence.seenNs[process] == 0)
            sayErrorLine(isoTime(wallNs()) + " " + helperThatHangs(static_cast<int>(process)));
    endRanks(m_limits.grace);
}

std::string Attempt::helperThatHangs(int process) const
{
    const RolePlace place = placeIn(m_evidence.roles, m_evidence.training.value_or(process), process);
    return fmt::format("{} {} on {} (rank {}) had not ended {} s after the ranks, which ended well, and is ended.",
                       place.role ? place.role->name : "process", place.index,
                       m_ranks[static_cast<std::size_t>(process)].host(), process,
                       std::chrono::duration_cast<std::chrono::seconds>(m_limits.others).count());
}

/// Every rank has recorded its end: mpirun is not needed any more.
void Attempt::killLauncher()
{
    if (!std::exchange(m_launcherEndsItself, false) && !isTidying(monotonicNs())) {
        m_launcherKilled = true;
        killTheRest();
    }
}

/// Background processes of ranks outlive them. Where a process of the attempt has not ended itself, what is left may be
/// that.
void Attempt::killTheRest()
{
    bool haveEnded = true;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
        haveEnded = haveEnded && readRankExit(m_folder, static_cast<int>(rank));
    if (haveEnded)
        m_evidence.wentOn = std::max<std::uint64_t>(m_evidence.wentOn, countOfRanks(m_folder));
    killAll(m_folder);
    m_killedNs = m_killedNs.value_or(monotonicNs());
}

/// Else the campaign would wait for as long as a file system does not answer that holds what is left.
bool Attempt::isHeldUp(std::int64_t nowNs) const
{
    if (!m_killedNs || nowNs < *m_killedNs + toNs(m_limits.dying))
        return false;
    sayErrorLine(isoTime(wallNs()) + " " + outlivesKill(allProcesses(m_folder).size()));
    return true;
}

void Attempt::stop(StopReason reason)
{
    if (stopping())
        return;
    m_evidence.stop = reason;
    const bool lost = reason == StopReason::silentRank || reason == StopReason::hungRank;
    endRanks(lost ? m_limits.lostGrace : m_limits.grace);
}

/// All guards at once see the end of the pipe, or soon the word in the file, and pass on SIGTERM.
void Attempt::endRanks(milliseconds grace)
{
    m_control.close();
    if (m_runnerHeartbeat)
        m_runnerHeartbeat->stop(grace);
    if (!m_killAtNs)
        m_killAtNs = monotonicNs() + toNs(grace);
}

void Attempt::killIfOverdue(std::int64_t nowNs)
{
    if (m_killAtNs && nowNs >= *m_killAtNs && !isTidying(nowNs))
        killTheRest();
}

Verdict Attempt::verdict()
{
    watchExits();                          // those of the last moment
    if (!jobs::isOwn(m_program->name())) { // whose guards have read the last lines since
        for (RankWatch& rank : m_ranks)
            rank.look(monotonicNs());
        addReports(m_evidence, m_ranks);
    }
    for (int rank = 0; rank < static_cast<int>(m_ranks.size()); ++rank) {
        m_evidence.ranks.push_back(readRankExit(m_folder, rank));
        const auto& exit = m_evidence.ranks.back();
        const bool clean = exit && exit->clean();
        m_evidence.wentOn += exit ? exit->wentOn : 0;
        m_evidence.withoutSpool.push_back(!hasSpool(layout::spoolFile(m_folder, rank)));
        m_evidence.ranksSaid.push_back(clean ? std::string{} : lastLine(layout::rankLog(m_folder, rank)));
        m_evidence.hosts.push_back(m_ranks[static_cast<std::size_t>(rank)].host());
    }
    m_evidence.launcherSaid = launcherWords(layout::attemptLog(m_folder));
    return judge(m_evidence);
}

} // namespace ringside::runner
