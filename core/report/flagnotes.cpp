// SPDX-License-Identifier: MIT
#include "core/report/flagnotes.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/report/comparedkind.h"
#include "core/report/figurewords.h"
#include "core/report/layout.h"
#include "core/report/numbers.h"
#include "core/stats/window.h"
#include "core/store/runflag.h"

#include <algorithm>

namespace ringside::report {
namespace {

namespace runflag = store::runflag;

/// Configurations without a result but for their disturbed runs are named one by one.
constexpr std::ptrdiff_t kMostNamed = 2;

int countOf(const std::map<std::string, int>& flags, const std::string& flag)
{
    const auto found = flags.find(flag);
    return found == flags.end() ? 0 : found->second;
}

using Groups = std::vector<const Group*>;

Groups groupsOf(const Comparison& comparison)
{
    return mapped(comparison.groups, [](const Group& group) { return &group; });
}

int runsWith(const Groups& groups, const std::string& flag)
{
    int runs = 0;
    for (const Group* group : groups)
        runs += countOf(group->flags, flag);
    return runs;
}

std::map<std::string, int> leftOutOf(const Groups& groups)
{
    std::map<std::string, int> flags;
    for (const Group* group : groups)
        for (const auto& [flag, runs] : group->leftOut)
            flags[flag] += runs;
    return flags;
}

/// "loss not a number (8), disturbed (4)".
std::string reasonsOf(const Comparison& comparison, const std::map<std::string, int>& leftOut, int unmeasured)
{
    std::string text;
    const auto add = [&](const std::string& reason, int runs) {
        if (runs > 0)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", reason, runs);
    };
    add(Words::tr("loss not a number"), comparison.nanKept ? 0 : countOf(leftOut, runflag::kNan));
    add(Words::tr("disturbed"), comparison.disturbedLeftOut ? countOf(leftOut, runflag::kDisturbed) : 0);
    add(Words::tr("not measured on all ranks after the warm-up"), unmeasured);
    return text;
}

bool isMarked(std::string_view flag)
{
    constexpr std::string_view kMarked[] = {groupflag::kLossy, groupflag::kAsynchronous, runflag::kEmulated,
                                            groupflag::kImported};
    return contains(kMarked, flag);
}

/// Runs that bear a flag and are left out, for it or for another one.
int leftOutWith(const Groups& groups, const std::string& flag)
{
    return countOf(leftOutOf(groups), flag);
}

/// A run that is left out for one flag is left out with every other that it bears.
std::string fateOf(const Groups& groups, const std::string& flag)
{
    const int all = runsWith(groups, flag), out = leftOutWith(groups, flag);
    if (out == 0)
        return " and kept";
    return out == all ? " and left out" : fmt::format(", {} left out and {} kept", out, all - out);
}

/// ", 1 left out".
std::string outOf(const Groups& groups, const std::string& flag)
{
    const int out = leftOutWith(groups, flag);
    return out > 0 ? fmt::format(", {} left out", out) : "";
}

struct Note
{
    const char* flag;
    const char* one;
    const char* many;
};

constexpr Note kDisturbedNote = {runflag::kDisturbed, "run was disturbed", "runs were disturbed"};

constexpr Note kNotes[] = {
    {runflag::kThrottled, "run had a GPU that slowed itself down", "runs had a GPU that slowed itself down"},
    {runflag::kIncomplete, "run lacks samples", "runs lack samples"},
    {runflag::kUnobserved, "run may have been disturbed: nothing was recorded that would show it",
     "runs may have been disturbed: nothing was recorded that would show it"},
};

constexpr Note kNanNote = {runflag::kNan, "run had a loss that was not a number",
                           "runs had a loss that was not a number"};

std::string nanNote(const Groups& groups, int runs)
{
    const int out = leftOutWith(groups, runflag::kNan);
    if (out > 0 && out < runs)
        return counted(runs, kNanNote.one, kNanNote.many) + fateOf(groups, runflag::kNan);
    return counted(runs, "run whose loss was not a number was", "runs whose loss was not a number were") +
           (out > 0 ? " left out" : " kept");
}

} // namespace

std::optional<std::string> wayToCount(const Comparison& comparison, const std::map<std::string, int>& leftOut)
{
    const bool nan = !comparison.nanKept && countOf(leftOut, runflag::kNan) > 0;
    const bool disturbed = comparison.disturbedLeftOut && countOf(leftOut, runflag::kDisturbed) > 0;
    if (nan && disturbed)
        return Words::tr(
            "count them with --keep-nan and without --leave-out-disturbed (in the window: tick “Done, loss "
            "not a number” and “Done, disturbed”)");
    if (nan)
        return Words::tr("count them with --keep-nan (in the window: tick “Done, loss is NaN”)");
    if (disturbed)
        return Words::tr("count them without --leave-out-disturbed (in the window: tick “Done, disturbed”)");
    return std::nullopt;
}

std::optional<Error> whyAllLeftOut(const Comparison& comparison)
{
    int out = 0, unmeasured = 0;
    for (const Group& group : comparison.groups) {
        out += group.finishedOut;
        unmeasured += group.unmeasured;
    }
    if (out == 0 || comparison.chosen > 0)
        return std::nullopt;
    const std::map<std::string, int> leftOut = leftOutOf(groupsOf(comparison));
    const std::string reasons = reasonsOf(comparison, leftOut, unmeasured);
    std::string hint;
    if (const auto way = wayToCount(comparison, leftOut))
        hint = Words::tr("To see them, {}.", *way);
    if (unmeasured > 0)
        hint += (hint.empty() ? "" : " ") + Words::tr("“ringside-cli collect” fetches samples that are still on the "
                                                      "site; a run needs more iterations than its warm-up has.");
    return Error{ErrorCode::usage,
                 Words::counted("All {} finished runs of “{}” are left out: {}.",
                                "The only finished run of “{1}” is left out: {2}.", static_cast<std::uint64_t>(out),
                                comparison.experiment, reasons),
                 hint};
}

std::string flagsText(const Group& group)
{
    std::string text;
    for (const auto& [flag, runs] : group.flags)
        if (!isMarked(flag))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", flag, runs);
    return text;
}

namespace {

std::string flagsText(const Groups& groups)
{
    std::map<std::string, int> flags;
    for (const Group* group : groups)
        for (const auto& [flag, runs] : group->flags)
            if (!isMarked(flag))
                flags[flag] += runs;
    return joined(flags, ", ", [&](const auto& entry) {
        const int out = leftOutWith(groups, entry.first);
        return fmt::format("{} {}{}", entry.first, entry.second, out > 0 ? fmt::format(" ({} left out)", out) : "");
    });
}

std::vector<std::string> flagNotes(const Groups& groups)
{
    std::vector<std::string> notes;
    if (const int runs = runsWith(groups, runflag::kDisturbed); runs > 0)
        notes.push_back(counted(runs, kDisturbedNote.one, kDisturbedNote.many) + fateOf(groups, runflag::kDisturbed));
    for (const Note& note : kNotes)
        if (const int runs = runsWith(groups, note.flag); runs > 0)
            notes.push_back(counted(runs, note.one, note.many) + outOf(groups, note.flag));
    if (const int runs = runsWith(groups, runflag::kNan); runs > 0)
        notes.push_back(nanNote(groups, runs));
    if (const int runs = runsWith(groups, runflag::kShort); runs > 0)
        notes.push_back(counted(runs, "run was", "runs were") +
                        fmt::format(" measured for less than {} s or {} iterations", stats::kLeastSeconds,
                                    stats::kLeastIterations) +
                        outOf(groups, runflag::kShort));
    return notes;
}

std::vector<std::string> withFailed(const Groups& groups, std::vector<std::string> notes)
{
    int failed = 0;
    for (const Group* group : groups)
        failed += group->failed;
    if (failed > 0)
        notes.insert(notes.begin(), counted(failed, "attempt failed", "attempts failed"));
    return notes;
}

std::string ofBases(const Groups& bases, const std::string& text)
{
    return text.empty() ? "" : fmt::format("of the base case{}: {}", bases.size() == 1 ? "" : "s", text);
}

} // namespace

std::string flagsText(const Comparison& comparison)
{
    return flagsText(groupsOf(comparison));
}

std::vector<std::string> flagNotes(const Comparison& comparison)
{
    return flagNotes(groupsOf(comparison));
}

std::string baseNote(const Comparison& comparison)
{
    const Groups bases = unshownBases(comparison);
    return ofBases(bases, enumerate(withFailed(bases, flagNotes(bases))));
}

std::string briefBaseNote(const Comparison& comparison)
{
    const Groups bases = unshownBases(comparison);
    const std::string flags = flagsText(bases);
    return ofBases(bases,
                   joined(withFailed(bases, flags.empty() ? std::vector<std::string>() : std::vector{flags}), ", "));
}

std::vector<std::string> flagNotes(const store::RunRow& run)
{
    std::vector<std::string> notes;
    const auto add = [&](const Note& note) {
        if (contains(run.flags, note.flag))
            notes.push_back(std::string("the ") + note.one);
    };
    add(kDisturbedNote);
    std::ranges::for_each(kNotes, add);
    add(kNanNote);
    return notes;
}

namespace {

/// Two results, or one and none.
std::string disturbedNote(const Comparison& comparison, const Group& group)
{
    std::vector<std::string> keys;
    for (const spec::Factor& factor : comparison.factors)
        keys.push_back(factor.key);
    const int decimals = columnDecimals({comparison.kind->measureOf(group), group.otherwise->measure});
    const auto text = [&](const Measure& measure) {
        return measure.value ? formatNumber(*measure.value, decimals) : std::string("no result");
    };
    return fmt::format("{}: {} {} disturbed runs (n = {}), {} {} them (n = {})", labelFor(comparison, group, keys),
                       text(comparison.kind->measureOf(group)), comparison.disturbedLeftOut ? "without" : "with",
                       group.n(), text(group.otherwise->measure), comparison.disturbedLeftOut ? "with" : "without",
                       group.otherwise->n);
}

} // namespace

std::vector<std::string> disturbedNotes(const Comparison& comparison)
{
    std::vector<std::string> notes;
    if (comparison.noOtherwise)
        notes.push_back(fmt::format("{} disturbed runs there is no result: {}",
                                    comparison.disturbedLeftOut ? "with" : "without", *comparison.noOtherwise));
    const auto isOneSided = [](const Group& group) {
        return group.otherwise && (group.n() == 0 || group.otherwise->n == 0);
    };
    const auto oneSided = std::ranges::count_if(comparison.groups, isOneSided);
    const bool together = oneSided > kMostNamed;
    if (together)
        notes.push_back(fmt::format("{} configurations have a result only with disturbed runs", oneSided));
    for (const Group& group : comparison.groups)
        if (group.otherwise && !(together && isOneSided(group)))
            notes.push_back(disturbedNote(comparison, group));
    return notes;
}

} // namespace ringside::report
