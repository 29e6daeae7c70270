// SPDX-License-Identifier: MIT
#include "agent/runner/verdict.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <csignal>
#include <cstring>
#include <fmt/format.h>

namespace ringside::runner {

namespace {

bool isDone(const Evidence& evidence)
{
    return std::all_of(evidence.ranks.begin(), evidence.ranks.end(),
                       [](const auto& exit) { return exit && exit->clean(); });
}

/// As the program says it, or the guard and every shell.
jobs::ExitMeaning meaningOf(const Evidence& evidence, int code)
{
    switch (code) {
    case exitcode::kTerminated:
        return {Cause::lostRank};
    case 126:
    case 127:
        return {Cause::launch, "could not be started", "; its log says why"};
    default:
        return evidence.program->meaningOf(code);
    }
}

/// A rank that was told to end, or lost its peer, is no cause. The lower, the likelier it is the cause.
int causePriority(const Evidence& evidence, std::size_t rank)
{
    const RankExit& exit = *evidence.ranks[rank];
    if (exit.clean())
        return 3;
    if (exit.told || exit.shellCode() == exitcode::kTerminated)
        return 2;
    return exit.signal == 0 && meaningOf(evidence, exit.code).followsAnother ? 1 : 0;
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

/// What a signal ends before it has a spool has computed nothing that could be to blame: a library, or its start, was.
Cause causeOf(const Evidence& evidence, std::size_t rank)
{
    const RankExit& exit = *evidence.ranks[rank];
    if (exit.signal == 0)
        return meaningOf(evidence, exit.code).cause;
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

/// Of two ranks that are as likely the cause: by their clock if they share one, else as they were seen.
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

/// What a rank did, and what it said last where that tells why: "could not read its data: …".
std::string withLastWords(std::string what, const std::string& said, std::string_view ifSilent)
{
    return said.empty() ? what.append(ifSilent) : what + ": " + said;
}

/// It could say nothing itself: what it was to do, and what it could have done with the memory that it had when it was
/// killed. The host's memory tells nothing of the batch where a GPU computes.
std::string killedForMemory(const RankExit& exit, const std::optional<MemoryNeed>& need)
{
    constexpr std::string_view advice = "; use a smaller batch or fewer ranks";
    if (!need)
        return fmt::format("ran out of memory{}", advice);
    const std::string what = fmt::format("ran out of memory with a batch of {} per rank", need->batch);
    if (exit.peakBytes == 0 || need->isOnGpu)
        return fmt::format("{}{}", what, advice);
    const std::string size = humanBytes(exit.peakBytes);
    const int largest = need->largestBatchAfterFailure(exit.peakBytes, need->hostPerItem);
    if (largest < 1)
        return fmt::format("{}, at {}. By an estimate not even one item per rank fits: lower its size or the number of "
                           "ranks on a node",
                           what, size);
    return fmt::format("{}, at {}. The largest that fits is about {}, by an estimate", what, size, largest);
}

std::string inWords(const jobs::ExitMeaning& meaning, int code, const std::string& said)
{
    std::string what =
        meaning.sentence.empty() ? fmt::format("ended with code {}", code) : std::string(meaning.sentence);
    return meaning.followsAnother ? what : withLastWords(std::move(what), said, meaning.ifSilent);
}

std::string sentence(const Evidence& evidence, std::size_t rank, Cause cause)
{
    const RankExit& exit = *evidence.ranks[rank];
    const std::string said = entry(evidence.ranksSaid, rank);
    if (cause == Cause::outOfMemory && (exit.signal || said.empty()))
        return killedForMemory(exit, entry(evidence.memory, rank));
    if (exit.suspended)
        return "was stopped by a signal and did not go on";
    if (exit.signal == SIGKILL && !exit.told)
        return fmt::format("was ended by signal {} ({}) from an unknown source", exit.signal, ::strsignal(exit.signal));
    if (exit.signal)
        return fmt::format("was ended by signal {} ({})", exit.signal, ::strsignal(exit.signal));
    if (exit.code == exitcode::kTerminated)
        return "was told from outside to end";
    std::string text = inWords(meaningOf(evidence, exit.code), exit.code, said);
    if (cause == Cause::launch && said.find("error while loading shared libraries") != std::string::npos)
        text += ". installers/dependencies.sh installs what it needs";
    return text;
}

/// A last line of its own may end with a full stop.
std::string ended(std::string text)
{
    return text.ends_with('.') ? text : text + ".";
}

std::string at(const std::string& host)
{
    return host.empty() ? std::string{} : fmt::format(" on {}", host);
}

/// "Rank 3", "Server 0 (rank 4)".
std::string processName(int process, const Evidence& evidence)
{
    int first = evidence.training.value_or(process + 1);
    for (const Role& role : evidence.roles) {
        if (process >= first && process < first + role.count)
            return fmt::format("{:c}{} {} (rank {})", std::toupper(role.name[0]), role.name.substr(1), process - first,
                               process);
        first += role.count;
    }
    return fmt::format("Rank {}", process);
}

/// "Rank 3 on node7".
std::string who(int process, const std::string& host, const Evidence& evidence)
{
    return processName(process, evidence) + at(host);
}

/// The loss is that of all ranks, so none is to blame.
Verdict notANumber(const std::string& said)
{
    return {RunState::failed,
            Cause::notANumber,
            said.empty() ? "The loss is not a number. Lower learning_rate." : ended(said),
            {},
            {}};
}

Verdict blame(std::size_t rank, const Evidence& evidence)
{
    const RankExit& exit = *evidence.ranks[rank];
    const int number = static_cast<int>(rank);
    const Cause cause = causeOf(evidence, rank);
    const std::string said = entry(evidence.ranksSaid, rank);
    if (cause == Cause::notANumber)
        return notANumber(said);
    return {RunState::failed, cause,
            ended(fmt::format("{} {}", who(number, exit.host, evidence), sentence(evidence, rank, cause))), number,
            exit.host};
}

/// The first of them stands for all: none is known to have been earlier than the others.
Verdict blame(const std::vector<std::size_t>& ranks, const Evidence& evidence)
{
    Verdict verdict = blame(ranks.front(), evidence);
    if (ranks.size() == 1 || !verdict.rank)
        return verdict;
    std::string others;
    for (std::size_t i = 1; i < ranks.size(); ++i)
        others += (i > 1 ? ", " : "") + std::to_string(ranks[i]);
    verdict.reason += fmt::format(" Rank{} {} ended in the same moment; which was first is not known.",
                                  ranks.size() > 2 ? "s" : "", others);
    verdict.rank.reset();
    verdict.host.clear();
    return verdict;
}

Verdict lostRank(std::size_t rank, const Evidence& evidence)
{
    const std::string host = entry(evidence.hosts, rank);
    const int number = static_cast<int>(rank);
    return {RunState::failed, Cause::lostRank, who(number, host, evidence) + " was ended from outside.", number, host};
}

/// Its guard ended in peace and yet left no record: it could not write one, as on a full disk.
Verdict unrecorded(std::size_t rank, const Evidence& evidence)
{
    const std::string host = entry(evidence.hosts, rank);
    const int number = static_cast<int>(rank);
    const std::string what = who(number, host, evidence) + " left no record of its end";
    return {RunState::failed, Cause::lostRank,
            ended(withLastWords(what, entry(evidence.ranksSaid, rank), "; the disk may be full")), number, host};
}

/// With which mpirun ends when it could not start its helpers on other hosts.
constexpr int kHostsNotReached = 255;

/// srun ends the tasks that it could start, guards included, when it cannot start another one.
bool wasNeverComplete(const Evidence& evidence)
{
    bool isAbsent = false;
    for (std::size_t rank = 0; rank < evidence.ranks.size(); ++rank)
        isAbsent = isAbsent || entry(evidence.hosts, rank).empty();
    return isAbsent && evidence.endsIncompleteStarts;
}

/// No rank is to blame by its own record: a guard was killed with its rank, or mpirun was, or nothing was ever started.
Verdict blameTheUnrecorded(const Evidence& evidence)
{
    const auto missing = std::find(evidence.ranks.begin(), evidence.ranks.end(), std::nullopt);
    const bool allMissing =
        std::count(evidence.ranks.begin(), evidence.ranks.end(), std::nullopt) == std::ssize(evidence.ranks);
    const int signal = evidence.launcher.signal;
    if (signal && evidence.ranks.size() > 1)
        return {RunState::failed,
                Cause::lostRank,
                fmt::format("{} was ended by signal {} ({}), and its ranks with it.", evidence.launcherName, signal,
                            ::strsignal(signal)),
                {},
                {}};
    if (missing != evidence.ranks.end() && evidence.launcher.shellCode() == 0)
        return unrecorded(static_cast<std::size_t>(missing - evidence.ranks.begin()), evidence);
    const int code = evidence.launcher.shellCode();
    const bool began = code > 128 && code != kHostsNotReached && !wasNeverComplete(evidence);
    if (missing != evidence.ranks.end() && (!allMissing || began))
        return lostRank(static_cast<std::size_t>(missing - evidence.ranks.begin()), evidence);
    return {RunState::failed,
            Cause::launch,
            fmt::format("The ranks could not be started (code {}). {}", evidence.launcher.code, evidence.launcherSaid),
            {},
            {}};
}

Verdict judgeRanks(const Evidence& evidence)
{
    const std::vector<std::size_t> ranks = culprits(evidence);
    if (ranks.empty())
        return blameTheUnrecorded(evidence);
    const bool hasNoRecord =
        std::find(evidence.ranks.begin(), evidence.ranks.end(), std::nullopt) != evidence.ranks.end();
    const bool isClean = evidence.ranks[ranks.front()]->clean();
    if (causePriority(evidence, ranks.front()) > 0 && (hasNoRecord || evidence.launcher.signal || isClean))
        return blameTheUnrecorded(evidence);
    return blame(ranks, evidence);
}

/// By the runner, since a rank was as said for too long.
Verdict endedByRunner(const Evidence& evidence, Cause cause, std::string_view what)
{
    const std::string since =
        evidence.blamedFor.count() ? fmt::format(" for {} s", evidence.blamedFor.count()) : std::string{};
    const std::string rank = who(evidence.blamedRank.value_or(0), evidence.blamedHost, evidence);
    return {RunState::failed, cause, fmt::format("{} {}{}.", rank, what, since), evidence.blamedRank,
            evidence.blamedHost};
}

Verdict hung(const Evidence& evidence)
{
    if (!evidence.blamedRank)
        return {
            RunState::failed,
            Cause::hung,
            fmt::format("All ranks waited for each other for {} s, and none is behind: the network between them may "
                        "have failed.",
                        evidence.blamedFor.count()),
            {},
            {}};
    Verdict verdict = endedByRunner(evidence, Cause::hung, "made no progress");
    if (evidence.blamedPhase && *evidence.blamedRank < evidence.training.value_or(INT_MAX))
        verdict.reason.insert(verdict.reason.size() - 1, fmt::format(", {}", wordsOf(*evidence.blamedPhase).during));
    return verdict;
}

} // namespace

Verdict judge(const Evidence& evidence)
{
    if (isDone(evidence))
        return {RunState::done, Cause::none, {}, {}, {}};
    switch (evidence.stop) {
    case StopReason::cancelled:
        return {RunState::cancelled, Cause::cancelled, "Cancelled on request.", {}, {}};
    case StopReason::preempted:
        return {RunState::requeued, Cause::none, "The runner was told to end; the run will begin again.", {}, {}};
    case StopReason::timeLimit:
        return {RunState::requeued, Cause::timeLimit, "The time limit of the job was reached.", {}, {}};
    case StopReason::silentRank:
        return endedByRunner(evidence, Cause::lostRank, "gave no sign of life");
    case StopReason::hungRank:
        return hung(evidence);
    case StopReason::none:
        break;
    }
    return judgeRanks(evidence);
}

} // namespace ringside::runner
