// SPDX-License-Identifier: MIT
#include "agent/runner/verdict.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <fmt/ranges.h>
#include <ranges>

namespace ringside::runner {

namespace {

/// As far as its reports show: each rank did as many iterations as asked, or more.
bool isThrough(const Evidence& evidence)
{
    return evidence.told && evidence.leastTold >= std::max<std::uint64_t>(evidence.asked, 1) &&
           evidence.toldOfRanks >= evidence.wantedOfRanks;
}

/// Our own worker says by its code that it was told to end before it was through; a system ends with 0 then, too,
/// since the runner told it, or a guard that lost its runner or its launcher.
bool isDone(const Evidence& evidence)
{
    const bool saysSo = jobs::isOwn(evidence.program->name()) || isThrough(evidence);
    return std::ranges::all_of(evidence.ranks,
                               [=](const auto& exit) { return exit && exit->clean() && (saysSo || !exit->told); });
}

/// The leading processes have ended well, and by themselves: their servers are ended then, helpers that hang later, and
/// may end in any way.
bool hasBeenServed(const Evidence& evidence)
{
    if (!anyServe(evidence.roles) && !evidence.helpedTooLong)
        return false;
    for (std::size_t process = 0; process < evidence.ranks.size(); ++process) {
        const auto& exit = evidence.ranks[process];
        const bool ledToTheEnd = exit && exit->clean() && !exit->told;
        if (leads(evidence.roles, evidence.training.value_or(INT_MAX), static_cast<int>(process)) && !ledToTheEnd)
            return false;
    }
    return true;
}

/// A rank that was told to end, or lost its peer, is no cause. The lower, the likelier it is the cause.
int causePriority(const Evidence& evidence, std::size_t rank)
{
    const RankExit& exit = *evidence.ranks[rank];
    if (exit.clean())
        return 3;
    if (exit.told || exit.shellCode() == exitcode::kTerminated)
        return 2;
    return exit.signal == 0 && jobs::meaningOf(*evidence.program, exit.code).followsAnother ? 1 : 0;
}

/// The entry of a rank, or nothing where the list is shorter.
template <class T> T entry(const std::vector<T>& byRank, std::size_t rank)
{
    return rank < byRank.size() ? byRank[rank] : T{};
}

/// Signals that a program brings upon itself; the others come from outside.
bool isOwnFault(int signal)
{
    constexpr int kOwn[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
    return std::find(std::begin(kOwn), std::end(kOwn), signal) != std::end(kOwn);
}

/// A process that a signal ends before it has a spool has computed nothing that could be to blame: a library, or its
/// start, was.
Cause causeOf(const Evidence& evidence, std::size_t rank)
{
    const RankExit& exit = *evidence.ranks[rank];
    if (exit.why.code == why::kNoSpace) // its guard's word; to a system the code may mean something else
        return Cause::lostRank;
    if (exit.signal == 0)
        return jobs::meaningOf(*evidence.program, exit.code).cause;
    if (exit.signal == SIGKILL && exit.memoryRanOut)
        return Cause::outOfMemory;
    const bool withoutSpool = entry(evidence.withoutSpool, rank);
    return isOwnFault(exit.signal) && !withoutSpool ? Cause::crashed : Cause::lostRank;
}

/// The lower, the likelier it is the cause: what a rank was ended by from outside may be a part of what another's fault
/// brought about.
std::pair<int, bool> priority(const Evidence& evidence, std::size_t rank)
{
    return {causePriority(evidence, rank), isFromOutside(causeOf(evidence, rank))};
}

/// Between two ranks that are as likely the cause: by their clock if they share one, else in the order in which they
/// were seen.
bool endedBefore(const Evidence& evidence, std::size_t rank, std::size_t other)
{
    const RankExit& a = *evidence.ranks[rank];
    const RankExit& b = *evidence.ranks[other];
    return a.host == b.host ? a.atNs < b.atNs : entry(evidence.seenNs, rank) < entry(evidence.seenNs, other);
}

/// The ranks that are likeliest the cause, that have recorded their ends, by number.
std::vector<std::size_t> suspects(const Evidence& evidence)
{
    std::vector<std::size_t> recorded;
    for (std::size_t rank = 0; rank < evidence.ranks.size(); ++rank)
        if (evidence.ranks[rank])
            recorded.push_back(rank);
    const auto causePriorityOf = [&](std::size_t rank) { return causePriority(evidence, rank); };
    if (recorded.empty())
        return recorded;
    const int least = causePriorityOf(std::ranges::min(recorded, {}, causePriorityOf));
    std::erase_if(recorded, [&](std::size_t rank) { return causePriorityOf(rank) > least; });
    return recorded;
}

/// The suspects of which none is known to have ended before another; the likeliest alone. By number. A host's clock and
/// the order of being seen may contradict each other: where each ended before another one, none is known to be first.
std::vector<std::size_t> culprits(const Evidence& evidence)
{
    const std::vector<std::size_t> all = suspects(evidence);
    std::vector<std::size_t> found;
    for (const std::size_t rank : all)
        if (std::ranges::none_of(all, [&](std::size_t other) { return endedBefore(evidence, other, rank); }))
            found.push_back(rank);
    if (found.empty())
        found = all;
    if (found.empty())
        return found;
    const auto best = std::ranges::min(found, {}, [&](std::size_t rank) { return priority(evidence, rank); });
    std::erase_if(found, [&](std::size_t rank) { return priority(evidence, rank) > priority(evidence, best); });
    return found;
}

/// About a process: its rank, its role where it does not train, and its host.
Reason reasonOf(int process, const std::string& host, std::string_view code, const Evidence& evidence)
{
    Reason reason = because(code, {{"rank", process}, {"host", host}});
    if (evidence.ranksPerProcess > 1)
        reason.add("ranks_per_process", evidence.ranksPerProcess);
    const RolePlace place = placeIn(evidence.roles, evidence.training.value_or(process + 1), process);
    if (place.role) {
        reason.add("role", place.role->name);
        reason.add("number", place.index);
    }
    return reason;
}

/// The rank could not report itself: adds its work, and the work that would have fitted into the memory that it had
/// when it was killed. The host's memory does not limit the batch where a GPU computes.
void addMemory(Reason& reason, const RankExit& exit, const std::optional<MemoryNeed>& need)
{
    if (!need)
        return;
    reason.add("batch", need->batch);
    if (exit.peakBytes == 0 || need->isOnGpu)
        return;
    reason.add("peak_bytes", static_cast<std::int64_t>(exit.peakBytes));
    reason.add("largest_batch", need->largestBatchAfterFailure(exit.peakBytes, need->hostPerItem));
}

/// The end of a rank, and its last line where that may say why.
Reason endOf(std::size_t rank, Cause cause, const Evidence& evidence)
{
    const RankExit& exit = *evidence.ranks[rank];
    const std::string said = entry(evidence.ranksSaid, rank);
    // Ringside's own worker prints about its run, and says why only where it fails.
    const std::string ofSystem = jobs::isOwn(evidence.program->name()) ? std::string() : said;
    const auto ended = [&](std::string_view code) {
        return reasonOf(static_cast<int>(rank), exit.host, code, evidence);
    };
    if (!exit.why.empty()) {
        Reason reason = ended(exit.why.code);
        reason.about.insert(exit.why.about.begin(), exit.why.about.end());
        return reason;
    }
    if (cause == Cause::outOfMemory && (exit.signal || said.empty())) {
        Reason reason = ended(why::kOutOfMemory);
        addMemory(reason, exit, entry(evidence.memory, rank));
        return reason;
    }
    if (exit.suspended) {
        Reason reason = ended(why::kStopped);
        reason.add("said", ofSystem);
        return reason;
    }
    if (exit.signal) {
        Reason reason = ended(why::kSignal);
        reason.add("signal", exit.signal);
        reason.add("source", exit.signal == SIGKILL && !exit.told ? "unknown" : "");
        reason.add("said", isOwnFault(exit.signal) ? said : ofSystem);
        return reason;
    }
    if (exit.code == exitcode::kTerminated)
        return ended(why::kToldToEnd);
    Reason reason = ended(why::kExit);
    reason.add("program", std::string(evidence.program->name()));
    reason.add("exit_code", exit.code);
    if (!jobs::isOwn(evidence.program->name())) // only its plan knows
        reason.add("means", std::string(jobs::meaningOf(*evidence.program, exit.code).sentence));
    reason.add("said", said);
    return reason;
}

Verdict blame(std::size_t rank, const Evidence& evidence)
{
    const RankExit& exit = *evidence.ranks[rank];
    const Cause cause = causeOf(evidence, rank);
    if (cause == Cause::notANumber) // the loss is that of all ranks, so none is to blame
        return {RunState::failed, cause, because(why::kNotANumber, {{"said", entry(evidence.ranksSaid, rank)}})};
    return {RunState::failed, cause, endOf(rank, cause, evidence), static_cast<int>(rank), exit.host};
}

/// A lost switch may end hundreds in the same moment.
constexpr std::ptrdiff_t kNamedOthers = 20;

/// "3", or "12-15" of a process that is several ranks.
std::string ranksOf(std::size_t process, std::size_t each)
{
    return each > 1 ? fmt::format("{}-{}", process * each, process * each + each - 1) : fmt::format("{}", process);
}

/// Those that train by the numbers of their ranks, the rest by their roles: "server 0".
void addOthers(Reason& reason, std::span<const std::size_t> processes, const Evidence& evidence)
{
    const auto each = static_cast<std::size_t>(evidence.ranksPerProcess);
    std::vector<std::string> ranks, roles;
    std::size_t training = 0;
    for (const std::size_t process : processes) {
        const auto number = static_cast<int>(process);
        const RolePlace place = placeIn(evidence.roles, evidence.training.value_or(number + 1), number);
        training += place.role ? 0 : each;
        if (place.role && std::ssize(roles) <= kNamedOthers)
            roles.push_back(std::ssize(roles) == kNamedOthers ? "…"
                                                              : fmt::format("{} {}", place.role->name, place.index));
        else if (!place.role && std::ssize(ranks) < kNamedOthers)
            ranks.push_back(ranksOf(process, each));
    }
    if (!ranks.empty()) {
        reason.add("others", fmt::format("{}", fmt::join(ranks, ", ")));
        reason.add("others_count", static_cast<std::int64_t>(training));
    }
    if (!roles.empty())
        reason.add("other_roles", fmt::format("{}", fmt::join(roles, ", ")));
}

/// A verdict on the first of them stands for all: none is known to have ended before the others, so none is blamed.
Verdict onAll(const std::vector<std::size_t>& ranks, Verdict verdict, const Evidence& evidence)
{
    if (ranks.size() == 1 || !verdict.rank)
        return verdict;
    addOthers(verdict.reason, std::span(ranks).subspan(1), evidence);
    verdict.rank.reset();
    verdict.host.clear();
    return verdict;
}

/// Ranks without a record of their ends, by number.
std::vector<std::size_t> unrecorded(const Evidence& evidence)
{
    std::vector<std::size_t> found;
    for (std::size_t rank = 0; rank < evidence.ranks.size(); ++rank)
        if (!evidence.ranks[rank])
            found.push_back(rank);
    return found;
}

/// For ranks that left no record of their ends; not empty.
Verdict lost(const std::vector<std::size_t>& ranks, std::string_view code, const Evidence& evidence)
{
    const std::string host = entry(evidence.hosts, ranks.front());
    const int first = static_cast<int>(ranks.front());
    Reason reason = reasonOf(first, host, code, evidence);
    if (code == why::kNoRecord)
        reason.add("said", entry(evidence.ranksSaid, ranks.front()));
    return onAll(ranks, {RunState::failed, Cause::lostRank, std::move(reason), first, host}, evidence);
}

/// The launcher did not reach each host, or ended what it had started, guards included, when it could not start
/// another.
bool wasNeverComplete(const Evidence& evidence)
{
    if (!evidence.startedBy)
        return false;
    bool isAbsent = false;
    for (std::size_t rank = 0; rank < evidence.ranks.size(); ++rank)
        isAbsent = isAbsent || entry(evidence.hosts, rank).empty();
    return evidence.launcher.shellCode() == evidence.startedBy->codeOfUnreachedHosts() ||
           (isAbsent && evidence.startedBy->endsIncompleteStarts());
}

/// No rank is to blame by its own record: a guard was killed with its rank, or mpirun was, or nothing was ever started.
Verdict blameTheUnrecorded(const Evidence& evidence)
{
    const std::vector<std::size_t> missing = unrecorded(evidence);
    const int signal = evidence.launcher.signal;
    if (signal && evidence.ranks.size() > 1)
        return {RunState::failed, Cause::lostRank,
                because(why::kLauncher, {{"launcher", evidence.launcherName}, {"signal", signal}})};
    const int code = evidence.launcher.shellCode();
    if (!missing.empty() && code == 0) // their guards ended in peace: they could not write, as on a full disk
        return lost(missing, why::kNoRecord, evidence);
    const bool began = code > 128 && !wasNeverComplete(evidence);
    if (!missing.empty() && (missing.size() < evidence.ranks.size() || began))
        return lost(missing, why::kEndedOutside, evidence);
    return {RunState::failed, Cause::launch,
            because(why::kNotStarted, {{"exit_code", evidence.launcher.code}, {"said", evidence.launcherSaid}})};
}

/// All ended well, some of them before they were through, since something from outside told them to.
Verdict toldToEnd(const Evidence& evidence)
{
    std::vector<std::size_t> told;
    for (std::size_t rank = 0; rank < evidence.ranks.size(); ++rank)
        if (evidence.ranks[rank]->told)
            told.push_back(rank);
    const auto first = static_cast<int>(told.front());
    const std::string& host = evidence.ranks[told.front()]->host;
    return onAll(told,
                 {RunState::failed, Cause::lostRank, reasonOf(first, host, why::kToldToEnd, evidence), first, host},
                 evidence);
}

Verdict judgeRanks(const Evidence& evidence)
{
    const std::vector<std::size_t> ranks = culprits(evidence);
    if (ranks.empty())
        return blameTheUnrecorded(evidence);
    const bool hasNoRecord = !unrecorded(evidence).empty();
    const bool isClean = evidence.ranks[ranks.front()]->clean();
    const bool lostLauncher = evidence.launcher.signal && evidence.ranks.size() > 1;
    if (isClean && !hasNoRecord && !lostLauncher)
        return toldToEnd(evidence);
    if (causePriority(evidence, ranks.front()) > 0 && (hasNoRecord || evidence.launcher.signal || isClean))
        return blameTheUnrecorded(evidence);
    return onAll(ranks, blame(ranks.front(), evidence), evidence);
}

/// By the runner, since a rank was silent, or made no progress, for too long.
Verdict endedByRunner(const Evidence& evidence, Cause cause, std::string_view code)
{
    Reason reason = reasonOf(evidence.blamedRank.value_or(0), evidence.blamedHost, code, evidence);
    if (evidence.blamedFor.count())
        reason.add("seconds", evidence.blamedFor.count());
    return {RunState::failed, cause, std::move(reason), evidence.blamedRank, evidence.blamedHost};
}

/// One that never tells an iteration may train all the time, and print what nothing reads.
Verdict hung(const Evidence& evidence)
{
    const bool hasBegun = evidence.told.value_or(1) > 0;
    if (!hasBegun && evidence.talked)
        return {RunState::failed, Cause::settings,
                because(why::kNoIterations,
                        {{"program", std::string(evidence.program->name())}, {"seconds", evidence.blamedFor.count()}})};
    if (!evidence.blamedRank)
        return {RunState::failed, Cause::hung, because(why::kAllHung, {{"seconds", evidence.blamedFor.count()}})};
    Verdict verdict = endedByRunner(evidence, Cause::hung, why::kHung);
    if (evidence.blamedPhase && hasBegun && *evidence.blamedRank < evidence.training.value_or(INT_MAX))
        verdict.reason.add("phase", std::string(nameOf(*evidence.blamedPhase)));
    return verdict;
}

/// The process that numbered the fewest iterations in records of its own, and fewer than asked; nullptr: none did.
/// Lines that are read by patterns say less: they may be of each tenth iteration, and of none that fills no interval.
const RankExit* endedEarly(const Evidence& evidence)
{
    const RankExit* first = nullptr;
    for (std::size_t process = 0; process < evidence.ranks.size(); ++process) {
        const auto& exit = evidence.ranks[process];
        const auto recorded = exit ? exit->recorded : std::nullopt;
        if (!recorded || *recorded >= evidence.asked ||
            !leads(evidence.roles, evidence.training.value_or(INT_MAX), static_cast<int>(process)))
            continue;
        if (!first || *recorded < *first->recorded)
            first = &*exit;
    }
    return first;
}

/// It ended well as far as its processes show; its reports may contradict them.
Verdict over(const Evidence& evidence)
{
    const auto failedFor = [&](Reason reason) {
        reason.add("program", std::string(evidence.program->name()));
        return Verdict{RunState::failed, Cause::settings, std::move(reason)};
    };
    if (evidence.told == 0u && evidence.wentOn == 0)
        return failedFor(because(why::kNoIterations));
    if (evidence.told > 0u && evidence.toldOfRanks < evidence.wantedOfRanks)
        return failedFor(because(why::kRanksUntold, {{"told", static_cast<std::int64_t>(evidence.toldOfRanks)},
                                                     {"ranks", static_cast<std::int64_t>(evidence.wantedOfRanks)}}));
    if (evidence.told && *evidence.told < evidence.asked && evidence.wentOn > 0)
        return failedFor(because(why::kWentOn, {{"iterations", static_cast<std::int64_t>(*evidence.told)},
                                                {"asked", static_cast<std::int64_t>(evidence.asked)},
                                                {"processes", static_cast<std::int64_t>(evidence.wentOn)}}));
    if (const RankExit* early = endedEarly(evidence))
        return failedFor(because(why::kEndedEarly, {{"iterations", static_cast<std::int64_t>(*early->recorded)},
                                                    {"asked", static_cast<std::int64_t>(evidence.asked)},
                                                    {"cut_records", early->cutRecord ? 1 : 0}}));
    return {RunState::done, Cause::none};
}

} // namespace

Evidence evidenceOf(const RunSpec& run, const jobs::Program& program)
{
    Evidence evidence;
    evidence.training = run.rankProcesses();
    evidence.wantedOfRanks = static_cast<std::uint64_t>(run.ranks());
    evidence.roles = run.roles;
    evidence.asked = static_cast<std::uint64_t>(run.iterations);
    evidence.program = &program;
    evidence.ranksPerProcess = run.ranksPerProcess;
    if (run.ranksPerProcess == 1) // the estimate is of one rank
        evidence.memory.assign(static_cast<std::size_t>(run.rankProcesses()), memoryNeedOf(run));
    return evidence;
}

void addReports(Evidence& evidence, std::span<const RankWatch> watches)
{
    evidence.told = 0;
    evidence.leastTold = evidence.toldOfRanks = 0;
    for (const RankWatch& rank : watches) {
        const std::uint64_t told = rank.iterations();
        evidence.told = std::max(*evidence.told, told);
        if (told > 0 && (evidence.leastTold == 0 || told < evidence.leastTold))
            evidence.leastTold = told;
        evidence.toldOfRanks += rank.ofRanks();
    }
}

Verdict judge(const Evidence& evidence)
{
    if (isDone(evidence) || hasBeenServed(evidence))
        return over(evidence);
    switch (evidence.stop) {
    case StopReason::cancelled:
        return {RunState::cancelled, Cause::cancelled, because(why::kCancelled)};
    case StopReason::preempted:
        return {RunState::requeued, Cause::none, because(why::kRunnerTold)};
    case StopReason::timeLimit:
        return {RunState::requeued, Cause::timeLimit, because(why::kTimeLimit)};
    case StopReason::silentRank:
        return endedByRunner(evidence, Cause::lostRank, why::kSilent);
    case StopReason::hungRank:
        return hung(evidence);
    case StopReason::none:
        break;
    }
    return judgeRanks(evidence);
}

} // namespace ringside::runner
