// SPDX-License-Identifier: MIT
// Writes the text below a figure in a paper, and the text that a screen reader speaks.
#include "core/base/sequences.h"
#include "core/report/caveats.h"
#include "core/report/comparedkind.h"
#include "core/report/conditions.h"
#include "core/report/differences.h"
#include "core/report/figurewords.h"
#include "core/report/flagnotes.h"
#include "core/report/imported.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/spec/planparts.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ringside::report {
namespace {

/// Longest text, in bytes, that a journal accepts below a figure.
constexpr std::size_t kLongestCaption = 900;

constexpr std::array<std::string_view, 10> kNumerals = {"no",   "one", "two",   "three", "four",
                                                        "five", "six", "seven", "eight", "nine"};

std::string numeral(std::size_t count)
{
    return count < kNumerals.size() ? std::string(kNumerals[count]) : std::to_string(count);
}

/// A batch that is held fixed, of which model.
struct Batch
{
    std::string size;
    Items items;
    std::string model;
    bool operator==(const Batch&) const = default;
};

/// In the order of the groups, each once.
std::vector<Batch> batchesOf(const Comparison& comparison, const char* key)
{
    std::vector<Batch> batches;
    for (const Group& group : comparison.groups) {
        const Value *size = levelOf(group, key), *model = levelOf(group, "model");
        if (!size)
            continue;
        const Batch batch{toText(*size), itemsOf(group.settings), model ? spec::labelOf("model", *model) : ""};
        if (!contains(batches, batch))
            batches.push_back(batch);
    }
    return batches;
}

bool areAllGpus(const Comparison& comparison)
{
    return std::ranges::all_of(comparison.groups, [](const Group& group) {
        return integerOf(group.settings, "ranks") && factorName("ranks", group.settings) == "GPUs";
    });
}

/// The batch that is held, of those that tell one; nullptr: not that of all of them is.
const char* heldBatch(const Comparison& comparison)
{
    std::size_t telling = 0, global = 0;
    for (const Group& group : comparison.groups) {
        telling += tellsBatch(group.settings);
        global += group.settings.contains("batch_global");
    }
    if (global > 0 && global == telling)
        return "batch_global";
    return global == 0 || !varied(comparison, "ranks") ? "batch_per_rank" : nullptr;
}

bool isEachModelOnce(const std::vector<Batch>& batches)
{
    std::set<std::string> models;
    return std::ranges::all_of(batches, [&](const Batch& batch) { return models.insert(batch.model).second; });
}

/// "16 images per rank for AlexNet, 4 for ResNet-50, 2 sequences per rank for GPT-2"; the model is left out if
/// all have the same batch. Empty where the batch that is held is not the same for all of a model.
std::string toldBatchText(const Comparison& comparison)
{
    const char* held = heldBatch(comparison);
    if (!held || comparison.scaling == spec::Scaling::mixed)
        return {};
    const bool strong = std::string_view(held) == "batch_global";
    const std::vector<Batch> batches = batchesOf(comparison, held);
    if (batches.empty() || !isEachModelOnce(batches))
        return {};
    const std::string where = strong ? "in all" : areAllGpus(comparison) ? "per GPU" : "per rank";
    const auto withUnit = [&](const Batch& batch) {
        return fmt::format("{} {} {}", batch.size, itemWords(batch.items).items, where);
    };
    const Batch& front = batches.front();
    const bool same = std::ranges::all_of(
        batches, [&](const Batch& batch) { return batch.size == front.size && batch.items == front.items; });
    if (same)
        return withUnit(front);
    std::string text;
    std::optional<Items> said; // once for all models in a row that share it
    for (const Batch& batch : batches) {
        text +=
            (text.empty() ? "" : ", ") + (batch.items == said ? batch.size : withUnit(batch)) + " for " + batch.model;
        said = batch.items;
    }
    return text;
}

/// The same, and that it does not stand for imported runs which have not told theirs.
std::string batchText(const Comparison& comparison)
{
    const std::string told = toldBatchText(comparison), untold = untoldBatchText(comparison);
    return told + (told.empty() || untold.empty() ? "" : "; ") + untold;
}

/// " under weak scaling (32 images per GPU)", " (32 images per GPU)".
std::string scalingText(const Comparison& comparison)
{
    const std::string batch = batchText(comparison);
    const std::string inBrackets = batch.empty() ? "" : " (" + batch + ")";
    if (comparison.scaling == spec::Scaling::none)
        return inBrackets;
    return fmt::format(" under {} scaling{}", spec::nameOf(comparison.scaling), inBrackets);
}

/// " on 1–16 GPUs", " on 1 CPU rank".
std::string ranksRange(const Comparison& comparison)
{
    const Group *least = nullptr, *most = nullptr;
    for (const Group& group : comparison.groups) {
        const auto ranks = integerOf(group.settings, "ranks");
        if (!ranks)
            continue;
        if (!least || *ranks < *integerOf(least->settings, "ranks"))
            least = &group;
        if (!most || *ranks > *integerOf(most->settings, "ranks"))
            most = &group;
    }
    if (!least)
        return {};
    const auto from = *integerOf(least->settings, "ranks");
    const bool isMixed = factorTitle(comparison, "ranks") != factorName("ranks", most->settings);
    const std::string to =
        isMixed ? fmt::format("{} ranks", *integerOf(most->settings, "ranks")) : ranksText(most->settings);
    return " on " + (from == *integerOf(most->settings, "ranks") ? to : fmt::format("{}–{}", from, to));
}

/// The own way of a system is none of them.
std::size_t declaredLevels(const Comparison& comparison, const std::string& key)
{
    const auto occurs = [&](const Value& level) {
        return std::ranges::any_of(comparison.groups, [&](const Group& group) {
            return levelOf(group, key) && *levelOf(group, key) == level;
        });
    };
    return static_cast<std::size_t>(std::ranges::count_if(varied(comparison, key)->levels, occurs));
}

/// " for two aggregation plans".
std::string plansText(const Comparison& comparison)
{
    if (!varied(comparison, "plan"))
        return {};
    const std::size_t plans = declaredLevels(comparison, "plan");
    return plans < 2 ? "" : " for " + numeral(plans) + " gradient aggregation plans";
}

/// " Plan mine: one message, overlapped with backward.": readers of a paper do not know a user's own name.
std::string ownPlansSentence(const Comparison& comparison)
{
    std::string text;
    for (const auto& [name, plan] : comparison.ownPlans)
        text += fmt::format(" Plan {}: {}.", name, spec::describe(plan));
    return text;
}

/// "Base case: 1 GPU (ResNet-50: 302.4 images/s)."
std::string baseSentence(const FigureData& figure)
{
    const Points* points = figure.as<Points>();
    std::string text;
    for (const Points::Panel& panel : points ? points->panels : std::vector<Points::Panel>()) {
        if (!panel.baseText)
            continue;
        const std::string what = panel.baseText->substr(panel.baseText->find(": ") + 2);
        text += (text.empty() ? "" : "; ") + (panel.title.empty() ? "" : panel.title + " on ") + what;
    }
    return text.empty() ? "" : " Base case: " + text + ".";
}

std::string serversSentence(const Comparison& comparison)
{
    std::string text = serversText(comparison);
    return text.empty() ? "" : " P" + text.substr(1) + ".";
}

std::string markSentences(const Comparison& comparison)
{
    std::string text;
    for (const Caveat& caveat : caveatsOf(comparison))
        text += " " + sentenceOf(caveat.note());
    return text;
}

/// A sentence, and what replaces it where the caption gets too long.
struct Part
{
    std::string full, brief;
    bool isNeeded = false; ///< a figure cannot be read without it
};

std::string textOf(const std::vector<Part>& parts)
{
    return joined(parts, "", &Part::full);
}

/// Until it fits, the part that shrinks most is shortened; then parts are left out, the last first. Sentences stay
/// whole: what is needed may be longer than a caption is to be.
std::string fitted(std::vector<Part> parts)
{
    const auto saving = [](const Part& part) {
        return static_cast<std::ptrdiff_t>(part.full.size()) - static_cast<std::ptrdiff_t>(part.brief.size());
    };
    const auto isTooLong = [&] { return textOf(parts).size() > kLongestCaption; };
    while (isTooLong()) {
        Part& longest = *std::ranges::max_element(parts, {}, saving);
        if (saving(longest) <= 0)
            break;
        longest.full = longest.brief;
    }
    for (auto part = parts.rbegin(); part != parts.rend() && isTooLong(); ++part)
        if (!part->isNeeded)
            part->full.clear();
    return textOf(parts);
}

int failedOf(const Comparison& comparison)
{
    int failed = 0;
    for (const Group& group : comparison.groups)
        failed += group.failed;
    return failed;
}

/// "5 attempts failed (4 of them in cells that are not drawn)".
std::string failedText(const Comparison& comparison, const Comparison& drawn)
{
    const int failed = failedOf(comparison), undrawn = failed - failedOf(drawn);
    if (failed == 0)
        return {};
    return counted(failed, "attempt failed", "attempts failed") +
           (undrawn == 0        ? ""
            : undrawn == failed ? " in cells that are not drawn"
                                : fmt::format(" ({} of them in cells that are not drawn)", undrawn));
}

/// "all runs of 2 cells are left out (disturbed 12)": with the flags that they bear.
std::string leftOutText(const Comparison& comparison)
{
    int cells = 0;
    std::map<std::string, int> flags;
    for (const Group& group : comparison.groups)
        if (group.n() == 0 && group.finishedOut > 0) {
            ++cells;
            for (const auto& [flag, runs] : group.leftOut)
                flags[flag] += runs;
        }
    if (cells == 0)
        return {};
    const std::string why =
        joined(flags, ", ", [](const auto& entry) { return fmt::format("{} {}", entry.first, entry.second); });
    return fmt::format("all runs of {} left out{}", counted(cells, "cell are", "cells are"),
                       why.empty() ? "" : " (" + why + ")");
}

/// "1 attempt failed, 2 runs were disturbed and kept and 1 run lacks samples."; in brief "1 attempt failed; flags of
/// runs: disturbed 2, incomplete 1." Flags are those of what is drawn; what is not drawn is said to be so.
Part countsPart(const Comparison& comparison, const Comparison& drawn)
{
    const std::string attempts = failedText(comparison, drawn), flags = flagsText(drawn), out = leftOutText(comparison);
    std::vector<std::string> notes = flagNotes(drawn), brief;
    if (!attempts.empty())
        notes.insert(notes.begin(), attempts);
    if (!out.empty())
        notes.push_back(out);
    for (const std::string& part : {attempts, flags.empty() ? flags : "flags of runs: " + flags, out})
        if (!part.empty())
            brief.push_back(part);
    return notes.empty() ? Part() : Part{" " + sentenceOf(enumerate(notes)), " " + sentenceOf(joined(brief, "; "))};
}

Part basePart(const Comparison& drawn)
{
    const auto sentence = [](const std::string& note) { return note.empty() ? "" : " " + sentenceOf(note); };
    return {sentence(baseNote(drawn)), sentence(briefBaseNote(drawn))};
}

std::string ownPlansBrief(const Comparison& comparison)
{
    const std::size_t plans = comparison.ownPlans.size();
    return plans == 0 ? "" : fmt::format(" {} of the plans {} not built in.", plans, plans == 1 ? "is" : "are");
}

/// All panels together.
std::string baseBrief(const Comparison& comparison)
{
    std::vector<const Group*> groups = mapped(comparison.groups, [](const Group& group) { return &group; });
    const auto text = baseText(comparison, groups);
    return text ? " B" + text->substr(1) + "." : "";
}

std::string whatText(const Comparison& comparison, const std::string& of)
{
    return fmt::format("{} of {}{}{}{}.", comparison.kind->quantity(), of, scalingText(comparison),
                       ranksRange(comparison), plansText(comparison));
}

Part whatPart(const Comparison& comparison)
{
    const std::vector<std::string> models = occurringLevels(comparison, "model");
    const std::string brief = models.size() > 1 ? numeral(models.size()) + " models" : comparison.experiment;
    return {whatText(comparison, subjectOf(comparison)), whatText(comparison, withSystem(brief, comparison)), true};
}

Part conditionsPart(const Comparison& comparison)
{
    const auto sentence = [](const std::string& text) { return text.empty() ? "" : " Measured: " + text + "."; };
    return {sentence(conditionsText(comparison)), sentence(briefConditionsText(comparison))};
}

Part differencesPart(const Comparison& comparison)
{
    const auto sentence = [](const std::string& text) {
        return text.empty() ? "" : " Not only factors differ from the base case: " + text + ".";
    };
    return {sentence(differencesText(comparison)), sentence(differingNames(comparison))};
}

Part importedPart(const Comparison& comparison)
{
    const std::string text = importedDifferencesText(comparison);
    if (text.empty())
        return {};
    return {" Imported runs differ in " + text + ".",
            " Imported runs differ in " + importedDifferingNames(comparison) + "."};
}

Part pooledPart(const Comparison& comparison)
{
    std::string full;
    std::vector<std::string> facts;
    for (const std::string& note : pooledNotes(comparison)) {
        full += " " + sentenceOf(note);
        facts.push_back(note.substr(0, note.find(' ')));
    }
    return facts.empty() ? Part() : Part{full, " Not the same in all runs of a point: " + enumerate(facts) + "."};
}

} // namespace

std::string captionOf(const Comparison& comparison, const Comparison& drawn, const FigureData& figure)
{
    if (comparison.groups.empty() || figure.isEmpty())
        return {};
    const auto always = [](const std::string& text, bool isNeeded) { return Part{text, text, isNeeded}; };
    return fitted({whatPart(drawn),
                   {ownPlansSentence(drawn), ownPlansBrief(drawn)},
                   {baseSentence(figure), baseBrief(drawn)},
                   always(drawn.kind->marksText(drawn, figure), true),
                   conditionsPart(drawn),
                   differencesPart(drawn),
                   importedPart(drawn),
                   pooledPart(drawn),
                   always(serversSentence(drawn), false),
                   always(markSentences(drawn), true),
                   countsPart(comparison, drawn),
                   basePart(drawn)});
}

std::string spokenOf(const Comparison& comparison, const Layout& layout, const FigureData& figure)
{
    std::string text = figure.title + "." + comparison.kind->spoken(comparison, layout, figure);
    for (const std::string& note : figure.notes)
        text += " " + note + (note.ends_with('.') ? "" : ".");
    return text;
}

} // namespace ringside::report
