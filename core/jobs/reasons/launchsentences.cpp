// SPDX-License-Identifier: MIT
#include "core/base/words.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/reasons/sentences.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <array>

namespace ringside::jobs {

namespace {

/// Returns nullptr for one that only a later version knows.
const Launcher* launcherIn(const Reason& reason)
{
    const auto found = std::ranges::find(launchers(), reason.word("launcher"), &Launcher::name);
    return found == launchers().end() ? nullptr : *found;
}

std::string launcherTitle(const Reason& reason)
{
    const Launcher* launcher = launcherIn(reason);
    return launcher ? Words::translated(launcher->title()) : plainWord(reason, "launcher");
}

std::string tooFewNodes(const Reason& reason)
{
    const std::string text = Words::counted(
        "The run needs {1} nodes, and there are {0}.", "The run needs {1} nodes, and there is {0}.",
        static_cast<std::uint64_t>(reason.number("nodes").value_or(0)), reason.number("needed").value_or(0));
    return reason.number("in_job").value_or(0) ? Words::tr("{} Ask for more nodes.", text)
                                               : Words::tr("{} Name more hosts in the site's settings.", text);
}

std::string tooFewOpenFiles(const Reason& reason)
{
    const auto number = [&](std::string_view name) { return reason.number(name).value_or(0); };
    return Words::tr(
        "A process may open {} files here, and {} ranks need {}. Raise the limit (ulimit -n) where Ringside "
        "is started, or ask the administrator to.",
        number("limit"), number("ranks"), number("needed"));
}

std::string noSpace(const Reason& reason)
{
    return Words::tr("There is no space left in {}. Free some space on that disk, or raise your quota.",
                     plainWord(reason, "folder"));
}

std::string noWorker(const Reason& reason)
{
    const std::string program = plainWord(reason, "program");
    return Words::tr("{} cannot be executed. Build ringside-worker, or say where it is.",
                     program.empty() ? std::string("ringside-worker") : program);
}

std::string noAgent(const Reason& reason)
{
    return Words::tr("{} cannot be executed. Build ringside-agent again.", plainWord(reason, "program"));
}

std::string noLaunchPrefix(const Reason& reason)
{
    return Words::tr("{}, with which the worker is to be launched, cannot be executed. Install it, load its module, or "
                     "remove it from the site's launch prefix.",
                     plainWord(reason, "program"));
}

std::string noLauncher(const Reason& reason)
{
    const std::string text =
        Words::counted("{} ranks need {}, which is not in PATH.", "{} rank needs {}, which is not in PATH.",
                       static_cast<std::uint64_t>(reason.number("ranks").value_or(0)), plainWord(reason, "program"));
    const Launcher* launcher = launcherIn(reason);
    return launcher ? text + " " + launcher->advice() : text;
}

std::string unknownLauncher(const Reason& reason)
{
    return Words::tr("The launcher “{}” is not known here. Ringside on this machine may be older. Choose another "
                     "launcher for the site.",
                     plainWord(reason, "launcher"));
}

std::string startedWithoutMpi(const Reason& reason)
{
    return Words::tr("{} finds its ranks by MPI, and {} starts them without. Choose {} as the site's launcher.",
                     plainWord(reason, "program"), launcherTitle(reason), plainWord(reason, "usual"));
}

std::string roleNotPlaced(const Reason& reason)
{
    return Words::tr("{} cannot place a {} beside the ranks. Choose another launcher for the site, or a plan without "
                     "servers.",
                     launcherTitle(reason), plainWord(reason, "role"));
}

std::string noInterface(const Reason& reason)
{
    return withOthers(
        Words::tr("{} could not be started: its host has no interface {} with an address. Set the setting "
                  "“interface” to one that all nodes have.",
                  process(reason), plainWord(reason, "interface")),
        reason);
}

std::string noAddress(const Reason& reason)
{
    return withOthers(
        Words::tr("{} could not be started: its host has no address by which others reach it. Set the setting "
                  "“interface” to one that all nodes have.",
                  process(reason)),
        reason);
}

std::string noFreePort(const Reason& reason)
{
    return withOthers(
        Words::tr("{} could not be started: none of {} ports that were tried is free. See which programs listen on "
                  "its host: ss -ltn.",
                  process(reason), reason.number("tried").value_or(0)),
        reason);
}

std::string notMet(const Reason& reason)
{
    const auto number = [&](std::string_view name) { return reason.number(name).value_or(0); };
    return withOthers(Words::tr("{} could not be started: process {} of those numbered 0 to {} has not started "
                                "within {} s. Its log and that of its "
                                "launcher may say why.",
                                process(reason), number("process"), std::max<std::int64_t>(number("processes"), 1) - 1,
                                number("seconds")),
                      reason);
}

/// `what`: "its batch is 8".
std::string somethingElse(const Reason& reason, const std::string& what)
{
    return withOthers(
        Words::tr("{} is not training what its run asks for: {}. Look at its command in the system's table, "
                  "and at what the script makes of it.",
                  process(reason), what),
        reason);
}

std::string otherRanks(const Reason& reason)
{
    return somethingElse(reason, Words::tr("it says that it is one of {}, and the run has {}",
                                           reason.number("told").value_or(0), reason.number("ranks").value_or(0)));
}

std::string otherBatch(const Reason& reason)
{
    return somethingElse(reason, Words::tr("its batch is {}, and the run asks for {} per rank",
                                           reason.number("told").value_or(0), reason.number("asked").value_or(0)));
}

std::string otherModel(const Reason& reason)
{
    const ModelFacts* model = modelFacts(reason.word("model"));
    return somethingElse(reason, Words::tr("its network has {} parameters, and {} has {}", plainWord(reason, "told"),
                                           model ? std::string(model->title) : plainWord(reason, "model"),
                                           reason.number("parameters").value_or(0)));
}

std::string foreignRank(const Reason& reason)
{
    const auto number = [&](std::string_view name) { return reason.number(name).value_or(0); };
    return somethingElse(reason, Words::tr("it started rank {}, and its ranks are {} to {}", number("started"),
                                           number("first"), number("last")));
}

std::string twiceReported(const Reason& reason)
{
    return somethingElse(reason, Words::tr("rank {} states the batch of all ranks of its process, and is not the only "
                                           "one that reports for it",
                                           reason.number("started").value_or(0)));
}

std::string ranksMissing(const Reason& reason)
{
    return somethingElse(reason, Words::tr("only {} of its {} ranks had begun when the first of them was training",
                                           reason.number("began").value_or(0), reason.number("ranks").value_or(0)));
}

constexpr auto kSentences = std::to_array<Sentence>({
    {why::kTooFewNodes, tooFewNodes, "needed"},
    {why::kTooFewOpenFiles, tooFewOpenFiles, "needed"},
    {why::kNoSpace, noSpace, "folder"},
    {why::kNoWorker, noWorker},
    {why::kNoAgent, noAgent, "program"},
    {why::kNoLaunchPrefix, noLaunchPrefix, "program"},
    {why::kNoLauncher, noLauncher, "program"},
    {why::kUnknownLauncher, unknownLauncher, "launcher"},
    {why::kStartedWithoutMpi, startedWithoutMpi, "program"},
    {why::kRoleNotPlaced, roleNotPlaced, "role"},
    {why::kNoInterface, noInterface, "interface"},
    {why::kNoAddress, noAddress},
    {why::kNoFreePort, noFreePort, "tried"},
    {why::kNotMet, notMet, "processes"},
    {why::kOtherRanks, otherRanks, "ranks"},
    {why::kOtherBatch, otherBatch, "asked"},
    {why::kOtherModel, otherModel, "model"},
    {why::kForeignRank, foreignRank, "started"},
    {why::kTwiceReported, twiceReported, "started"},
    {why::kRanksMissing, ranksMissing, "ranks"},
});

} // namespace

std::span<const Sentence> launchSentences()
{
    return kSentences;
}

} // namespace ringside::jobs
