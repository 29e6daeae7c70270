// SPDX-License-Identifier: MIT
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/jobs/reasons/sentences.h"
#include "core/protocol/phase.h"
#include "core/protocol/role.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::jobs {

namespace {

std::string roleTitle(const std::string& role)
{
    if (role == kServerRole)
        return Words::tr("Server");
    std::string title = plainText(role);
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    return title;
}

/// "Rank 3", "Server 0 (rank 4)"; "Process 1 (ranks 4–7)" where a process is several.
std::string processName(const Reason& reason)
{
    const auto rank = reason.number("rank");
    if (!rank)
        return Words::tr("A process");
    const std::string role = reason.word("role");
    if (!role.empty())
        return Words::tr("{} {} (rank {})", roleTitle(role), reason.number("number").value_or(0), *rank);
    return rankName(*rank, reason.number("ranks_per_process").value_or(1));
}

struct Signal
{
    int number;
    const char* name;
};

/// Signals of Linux, whatever this computer runs: agents run there. A signal that hardly ever ends a process has no
/// name.
constexpr Signal kSignals[] = {{1, Words::noop("Hangup")},
                               {2, Words::noop("Interrupt")},
                               {3, Words::noop("Quit")},
                               {4, Words::noop("Illegal instruction")},
                               {5, Words::noop("Trace trap")},
                               {6, Words::noop("Aborted")},
                               {7, Words::noop("Bus error")},
                               {8, Words::noop("Floating point exception")},
                               {9, Words::noop("Killed")},
                               {11, Words::noop("Segmentation fault")},
                               {13, Words::noop("Broken pipe")},
                               {15, Words::noop("Terminated")},
                               {24, Words::noop("CPU time limit exceeded")},
                               {25, Words::noop("File size limit exceeded")},
                               {31, Words::noop("Bad system call")}};

/// "9 (Killed)".
std::string signalName(const Reason& reason)
{
    const std::int64_t number = reason.number("signal").value_or(0);
    const auto known = std::ranges::find(kSignals, number, &Signal::number);
    return known == std::end(kSignals) ? std::to_string(number)
                                       : fmt::format("{} ({})", number, Words::translated(known->name));
}

std::string withSecond(std::string sentence, std::string_view second)
{
    return sentence.append(" ").append(second);
}

/// "4–7" of "4-7".
std::string withDashes(std::string_view ranges)
{
    std::string text;
    for (const char each : ranges)
        text += each == '-' ? "–" : std::string_view(&each, 1);
    return text;
}

/// Others than the process that a reason names, of which none is known to have ended first: "rank 2", "ranks 2, 5 and
/// 38 more", "ranks 4–7, server 0"; empty: there are none.
std::string othersOf(const Reason& reason)
{
    std::string ranks = plainWord(reason, "others");
    const std::string roles = plainWord(reason, "other_roles");
    if (ranks.empty())
        return roles;
    const auto sane = [&](const char* argument, std::int64_t otherwise) { // it may be foreign
        return std::clamp<std::int64_t>(reason.number(argument).value_or(otherwise), 0, 1'000'000);
    };
    const std::int64_t named = (1 + std::ranges::count(ranks, ',')) * sane("ranks_per_process", 1);
    const std::int64_t count = sane("others_count", named);
    ranks = withDashes(ranks);
    std::string text = count == 1      ? Words::tr("rank {}", ranks)
                       : count > named ? Words::tr("ranks {} and {} more", ranks, count - named)
                                       : Words::tr("ranks {}", ranks);
    return roles.empty() ? text : text.append(", ").append(roles);
}

/// "Rank 0 could not read its data: no such folder.", or what is to be done where it wrote nothing that says why.
std::string exited(const Reason& reason)
{
    const auto code = static_cast<int>(reason.number("exit_code").value_or(0));
    const std::string program = reason.word("program");
    const std::string means = plainWord(reason, "means"); // of a system
    const ExitMeaning meaning =
        program.empty() || isOwn(program) ? meaningOf(programNamed(program), code) : ExitMeaning{Cause::crashed, means};
    const std::string said = plainWord(reason, "said");
    std::string text = meaning.sentence.empty()
                           ? Words::tr("{} ended with code {}", process(reason), code)
                           : Words::tr("{} {}", process(reason), Words::translated(meaning.sentence));
    if (!meaning.followsAnother && !said.empty())
        text = Words::tr("{}: {}", text, said);
    else if (!meaning.followsAnother && !meaning.ifSilent.empty())
        text = Words::tr("{}; {}", text, Words::translated(meaning.ifSilent));
    text = withOthers(ended(std::move(text)), reason);
    if (meaning.cause == Cause::launch && said.find("error while loading shared libraries") != std::string::npos)
        return withSecond(std::move(text), Words::tr("installers/dependencies.sh installs what it needs."));
    return text;
}

/// An abort, say, is explained there.
std::string withLastLine(std::string sentence, const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    return said.empty() ? sentence : withSecond(std::move(sentence), ended(Words::tr("Last line: {}", said)));
}

std::string signalled(const Reason& reason)
{
    const std::string who = process(reason), signal = signalName(reason);
    const std::string text = reason.word("source").empty()
                                 ? Words::tr("{} was ended by signal {}.", who, signal)
                                 : Words::tr("{} was ended by signal {} from an unknown source.", who, signal);
    return withOthers(withLastLine(text, reason), reason);
}

std::string memorySentence(const Reason& reason)
{
    const std::string who = process(reason);
    const auto batch = reason.number("batch"), bytes = reason.number("peak_bytes"),
               largest = reason.number("largest_batch");
    if (!batch)
        return Words::tr("{} ran out of memory; use a smaller batch or fewer ranks.", who);
    if (!bytes || !largest)
        return Words::tr("{} ran out of memory with a batch of {} per rank; use a smaller batch or fewer ranks.", who,
                         *batch);
    const std::string size = humanBytes(static_cast<std::uint64_t>(*bytes));
    if (*largest < 1)
        return Words::tr(
            "{} ran out of memory with a batch of {} per rank, at {}. By an estimate not even one item per "
            "rank fits: lower its size or the number of ranks on a node.",
            who, *batch, size);
    return Words::tr(
        "{} ran out of memory with a batch of {} per rank, at {}. The largest that fits is about {}, by an "
        "estimate.",
        who, *batch, size, *largest);
}

std::string outOfMemory(const Reason& reason)
{
    return withOthers(memorySentence(reason), reason);
}

std::string stopped(const Reason& reason)
{
    const std::string text = Words::tr("{} was stopped by a signal and did not continue.", process(reason));
    return withOthers(withLastLine(text, reason), reason);
}

std::string toldToEnd(const Reason& reason)
{
    return withOthers(Words::tr("{} was asked from outside to stop.", process(reason)), reason);
}

std::string endedOutside(const Reason& reason)
{
    const std::string others = othersOf(reason);
    std::string text = Words::tr("{} was ended from outside.", process(reason));
    return others.empty() ? text
                          : withSecond(std::move(text),
                                       Words::tr("The same happened to {}. Which ended first is not known.", others));
}

std::string noRecord(const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    const std::string others = othersOf(reason);
    std::string text = said.empty() ? Words::tr("{} left no record of its end; the disk may be full.", process(reason))
                                    : ended(Words::tr("{} left no record of its end: {}", process(reason), said));
    return others.empty()
               ? text
               : withSecond(std::move(text), Words::tr("Neither did {}. Which ended first is not known.", others));
}

std::string silent(const Reason& reason)
{
    const auto seconds = reason.number("seconds");
    return seconds ? Words::tr("{} gave no sign of life for {} s.", process(reason), *seconds)
                   : Words::tr("{} gave no sign of life.", process(reason));
}

/// "Rank 3 on n7 made no progress for 60 s, in its forward pass."
std::string hung(const Reason& reason)
{
    const auto seconds = reason.number("seconds");
    const auto phase = phaseFromName(reason.word("phase"));
    const std::string text = seconds ? Words::tr("{} made no progress for {} s", process(reason), *seconds)
                                     : Words::tr("{} made no progress", process(reason));
    if (!phase)
        return ended(text);
    const std::string sentence = ended(Words::tr("{}, {}", text, Words::translated(wordsOf(*phase).during)));
    return phase != Phase::other
               ? sentence
               : Words::tr("{} Raise hung_after_s in [runs] if it may be silent for longer there.", sentence);
}

std::string allHung(const Reason& reason)
{
    return Words::tr("All ranks waited for each other for {} s, and none is behind: the network between them may have "
                     "failed.",
                     reason.number("seconds").value_or(0));
}

std::string notANumber(const Reason& reason)
{
    const std::string said = plainWord(reason, "said");
    return said.empty() ? Words::tr("The loss is not a number. Lower learning_rate.") : ended(said);
}

std::string launcherEnded(const Reason& reason)
{
    return Words::tr("{} was ended by signal {}, and its ranks with it.", plainWord(reason, "launcher"),
                     signalName(reason));
}

std::string notStarted(const Reason& reason)
{
    const auto code = reason.number("exit_code");
    const std::string said = plainWord(reason, "said");
    if (code)
        return Words::tr("The ranks could not be started (code {}). {}", *code, said);
    return said.empty() ? Words::tr("The ranks could not be started.")
                        : ended(Words::tr("The ranks could not be started: {}", said));
}

std::string noIterations(const Reason& reason)
{
    if (const auto seconds = reason.number("seconds"))
        return Words::tr("{} was ended after {} s: it printed, but no line of it was an iteration that could be read; "
                         "its logs hold what it printed. “ringside-cli import --line” shows how a line is read.",
                         plainWord(reason, "program"), *seconds);
    return Words::tr("{} ended well, and no rank printed an iteration that could be read; their logs hold what they "
                     "printed. “ringside-cli import --line” shows how a line is read.",
                     plainWord(reason, "program"));
}

std::string ranksUntold(const Reason& reason)
{
    return Words::tr(
        "{} ended well, but iterations of only {} of its {} ranks were printed, so what all of them did is "
        "not known. Print on every rank, or record for all by Records(scope=\"all\").",
        plainWord(reason, "program"), reason.number("told").value_or(0), reason.number("ranks").value_or(0));
}

std::string wentOn(const Reason& reason)
{
    const auto number = [&](std::string_view name) { return reason.number(name).value_or(0); };
    return Words::counted("{1} ended after {2} of {3} iterations, and {0} processes that it left running in the "
                          "background were ended. Start the training in the foreground.",
                          "{1} ended after {2} of {3} iterations, and {0} process that it left running in the "
                          "background was ended. Start the training in the foreground.",
                          static_cast<std::uint64_t>(number("processes")), plainWord(reason, "program"),
                          number("iterations"), number("asked"));
}

std::string endedEarly(const Reason& reason)
{
    const std::string program = plainWord(reason, "program");
    const std::int64_t iterations = reason.number("iterations").value_or(0), asked = reason.number("asked").value_or(0);
    const std::string text =
        reason.number("cut_records").value_or(0) > 0
            ? Words::tr("{} ended with code 0 after {} of {} iterations, and its last line was cut.", program,
                        iterations, asked)
            : Words::tr("{} ended with code 0 after {} of {} iterations.", program, iterations, asked);
    return withSecond(text,
                      Words::tr("Its logs may say why. A script of your own finds the number that is asked for at "
                                "{{iterations}} in its arguments."));
}

std::string runnerDiedOften(const Reason& reason)
{
    return Words::tr("The runner died during each of {} attempts.", reason.number("attempts").value_or(0));
}

constexpr auto kSentences = std::to_array<Sentence>({
    {why::kExit, exited, "exit_code"},
    {why::kSignal, signalled, "signal"},
    {why::kOutOfMemory, outOfMemory},
    {why::kStopped, stopped},
    {why::kToldToEnd, toldToEnd},
    {why::kEndedOutside, endedOutside},
    {why::kNoRecord, noRecord},
    {why::kSilent, silent},
    {why::kHung, hung},
    {why::kAllHung, allHung, "seconds"},
    {why::kNoIterations, noIterations, "program"},
    {why::kRanksUntold, ranksUntold, "ranks"},
    {why::kWentOn, wentOn, "asked"},
    {why::kEndedEarly, endedEarly, "asked"},
    {why::kNotANumber, notANumber},
    {why::kLauncher, launcherEnded, "launcher"},
    {why::kNotStarted, notStarted},
    {why::kCancelled, Words::noop("Cancelled on request.")},
    {why::kCancelledBefore, Words::noop("Cancelled before it began.")},
    {why::kRunnerTold, Words::noop("The runner was asked to stop; the run will begin again.")},
    {why::kTimeLimit, Words::noop("The time limit of the job was reached.")},
    {why::kRunnerDied, Words::noop("The runner died; the run begins again.")},
    {why::kRunnerDiedOften, runnerDiedOften, "attempts"},
    {why::kFilesGone, Words::noop("Its files are no longer on the site. Launch it again.")},
    {why::kCampaignEnded, Words::noop("The campaign ended before this run. Launch it again.")},
    {why::kRunnerLost, Words::noop("Its runner died. Launch it again.")},
});

} // namespace

std::string process(const Reason& reason)
{
    const std::string host = plainWord(reason, "host");
    return host.empty() ? processName(reason) : Words::tr("{} on {}", processName(reason), host);
}

std::string withOthers(std::string sentence, const Reason& reason)
{
    const std::string others = othersOf(reason);
    return others.empty()
               ? sentence
               : withSecond(std::move(sentence),
                            Words::tr("At the same moment {} ended, too. Which was first is not known.", others));
}

std::span<const Sentence> attemptSentences()
{
    return kSentences;
}

} // namespace ringside::jobs
