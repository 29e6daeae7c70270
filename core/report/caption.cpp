// SPDX-License-Identifier: MIT
// What stands below a figure in a paper, and what a screen reader says of it.
#include "core/report/caveats.h"
#include "core/report/conditions.h"
#include "core/report/differences.h"
#include "core/report/flagnotes.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/report/words.h"
#include "core/spec/planparts.h"
#include "core/spec/schema.h"
#include "core/stats/interval.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ringside::report {
namespace {

/// What a journal takes below a figure.
constexpr std::size_t kLongestCaption = 900;
/// Groups with another n than most that are named.
constexpr int kMostExceptions = 3;

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
        if (std::find(batches.begin(), batches.end(), batch) == batches.end())
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

/// "16 images per rank for AlexNet, 4 for ResNet-50, 2 sequences per rank for GPT-2"; the model is left out if
/// all have the same batch. Empty where the batch that is held is not the same for all of a model.
std::string batchText(const Comparison& comparison)
{
    const bool strong = comparison.groups.front().settings.contains("batch_global");
    const std::vector<Batch> batches = batchesOf(comparison, strong ? "batch_global" : "batch_per_rank");
    if (batches.empty() || comparison.scaling == spec::Scaling::mixed)
        return {};
    const std::string where = strong ? "in all" : areAllGpus(comparison) ? "per GPU" : "per rank";
    const auto withUnit = [&](const Batch& batch) {
        return fmt::format("{} {} {}", batch.size, itemWords(batch.items).items, where);
    };
    const Batch& front = batches.front();
    const bool same = std::all_of(batches.begin(), batches.end(), [&](const Batch& batch) {
        return batch.size == front.size && batch.items == front.items;
    });
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

std::size_t declaredLevels(const Comparison& comparison, const std::string& key)
{
    std::set<int> places;
    for (const Group& group : comparison.groups)
        places.insert(placeOf(comparison, group, key));
    places.erase(-1);
    return places.size();
}

/// " for two aggregation plans".
std::string plansText(const Comparison& comparison)
{
    if (!varied(comparison, "plan"))
        return {};
    const std::size_t plans = declaredLevels(comparison, "plan");
    return plans < 2 ? "" : " for " + numeral(plans) + " gradient aggregation plans";
}

/// " Plan mine: one message, overlapped with backward.": a name that nobody else knows says nothing in a paper.
std::string ownPlansSentence(const Comparison& comparison)
{
    std::string text;
    for (const auto& [name, plan] : comparison.ownPlans)
        text += fmt::format(" Plan {}: {}.", name, spec::describe(plan));
    return text;
}

std::string quantity(Show show)
{
    switch (show) {
    case Show::throughput:
        return "Throughput";
    case Show::speedup:
        return "Speed-up";
    case Show::efficiency:
        return "Parallel efficiency";
    case Show::phases:
    case Show::timeline: // of one run: timeline.h
        return "Mean time per iteration by phase";
    }
    return {};
}

/// "Base case: 1 GPU (ResNet-50: 302.4 images/s)."
std::string baseSentence(const FigureData& figure)
{
    std::string text;
    for (const Panel& panel : figure.panels) {
        if (!panel.baseText)
            continue;
        const std::string what = panel.baseText->substr(panel.baseText->find(": ") + 2);
        text += (text.empty() ? "" : "; ") + (panel.title.empty() ? "" : panel.title + " on ") + what;
    }
    return text.empty() ? "" : " Base case: " + text + ".";
}

/// The n that most groups have.
int usualRuns(const Comparison& comparison)
{
    std::map<int, int> groups;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            ++groups[group.n()];
    const auto most = std::ranges::max_element(groups, {}, [](const auto& entry) { return entry.second; });
    return most == groups.end() ? 0 : most->first;
}

/// "n = 6; 1-bit · 16: n = 4"; of many exceptions only the range.
std::string runsInWords(const Comparison& comparison)
{
    std::vector<std::string> keys;
    for (const spec::Factor& factor : comparison.factors)
        keys.push_back(factor.key);
    const int usual = usualRuns(comparison);
    std::string text = fmt::format("n = {}", usual);
    int exceptions = 0;
    for (const Group& group : comparison.groups)
        if (group.n() > 0 && group.n() != usual && ++exceptions <= kMostExceptions)
            text += fmt::format("; {}: n = {}", labelFor(comparison, group, keys), group.n());
    return exceptions > kMostExceptions ? runsText(comparison) : text;
}

std::string loadingSentence(const FigureData& figure)
{
    const std::string text = loadingText(figure);
    return text.empty() ? text
                        : fmt::format(" Beside the phases, no part of the total, loader threads {} an iteration (times "
                                      "of all threads of a rank).",
                                      text);
}

std::string pointsSentence(const Comparison& comparison, const FigureData& figure)
{
    const std::string runs = runsInWords(comparison);
    if (comparison.show == Show::phases)
        return fmt::format(
                   " Bars: means over steady iterations, then ranks, then independent runs ({}). Whiskers: lowest "
                   "to highest run.{}",
                   runs,
                   hidesCommunication(figure) ? " Strip below: communication hidden behind other phases, no part "
                                                "of the total."
                                              : "") +
               loadingSentence(figure);
    const char* marks = figure.lines ? "Points" : "Bars";
    if (comparison.show == Show::throughput)
        return fmt::format(" {}: medians over independent runs ({}).", marks, runs);
    return fmt::format(" {}: ratio of medians over independent runs ({}){}.", marks, runs,
                       comparison.show == Show::efficiency ? " over the ratio of ranks" : "");
}

std::string intervalSentence(const Comparison& comparison)
{
    if (comparison.show == Show::phases)
        return {};
    bool drawn = false, missing = false;
    for (const Group& group : comparison.groups) {
        drawn = drawn || measureOf(group, comparison.show).low.has_value();
        missing = missing || (group.n() > 0 && group.n() < stats::kLeastRuns);
    }
    if (!drawn)
        return missing ? " No intervals: n < 6." : "";
    return fmt::format(" Error bars: 95 % {}{}.",
                       comparison.show == Show::throughput ? "rank intervals of the median" : "bootstrap intervals",
                       missing ? ", not drawn for n < 6" : "");
}

std::string countsSentence(const Comparison& comparison)
{
    int failed = 0;
    for (const Group& group : comparison.groups)
        failed += group.failed;
    std::vector<std::string> parts;
    if (failed > 0)
        parts.push_back(counted(failed, "attempt failed", "attempts failed"));
    for (std::string& note : flagNotes(comparison))
        parts.push_back(std::move(note));
    return parts.empty() ? "" : " " + enumerate(parts) + ".";
}

std::string serversSentence(const Comparison& comparison)
{
    std::string text = serversText(comparison);
    return text.empty() ? "" : " P" + text.substr(1) + ".";
}

/// "buckets 14.4, 1-bit 13.3 with 4 runs" at the far end of a panel.
std::string farEnd(const Panel& panel, int decimals)
{
    double x = 0;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            x = std::max(x, point.x);
    std::string text;
    for (const Series& series : panel.series)
        for (const Point& point : series.points)
            if (point.x == x)
                text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", series.name.empty() ? "" : series.name + " ",
                                    formatShort(point.y, {}, decimals),
                                    point.open() ? fmt::format(" with {}", counted(point.n, "run", "runs")) : "");
    return text;
}

std::string spokenPanel(const Comparison& comparison, const Layout& layout, const FigureData& figure,
                        const Panel& panel)
{
    std::string text = panel.title.empty() ? " " : " " + panel.title + ": ";
    if (figure.show == Show::phases) {
        for (const Stack& stack : panel.stacks)
            text += fmt::format("{} {} ms, exposed communication {} ms; ", stack.label, formatShort(stack.total),
                                formatShort(stack.phases[static_cast<std::size_t>(Phase::commExposed)]));
        return text.substr(0, text.size() - 2) + ".";
    }
    if (figure.lines && !figure.x.ticks.empty())
        text += fmt::format("at {:g} {}: ", figure.x.ticks.back(), factorTitle(comparison, layout.x));
    text += farEnd(panel, decimalsOf(figure));
    if (figure.ideal && !figure.x.ticks.empty())
        text += "; ideal " + formatShort(idealAt(figure, panel, figure.x.ticks.back()));
    return text + ".";
}

std::string markSentences(const Comparison& comparison)
{
    std::string text;
    for (const Caveat& caveat : caveatsOf(comparison))
        text += " " + sentenceOf(caveat.note());
    return text;
}

/// A sentence, and what stands in its place where the caption gets too long.
struct Part
{
    std::string full, brief;
};

/// Until it fits, the part that shrinks most is shortened.
std::string fitted(std::vector<Part> parts)
{
    const auto saving = [](const Part& part) {
        return static_cast<std::ptrdiff_t>(part.full.size()) - static_cast<std::ptrdiff_t>(part.brief.size());
    };
    for (;;) {
        std::string caption;
        for (const Part& part : parts)
            caption += part.full;
        Part& longest = *std::ranges::max_element(parts, {}, saving);
        if (caption.size() <= kLongestCaption || saving(longest) <= 0)
            return cutText(caption, kLongestCaption);
        longest.full = longest.brief;
    }
}

std::string ownPlansBrief(const Comparison& comparison)
{
    const std::size_t plans = comparison.ownPlans.size();
    return plans == 0 ? "" : fmt::format(" {} of the plans {} not built in.", plans, plans == 1 ? "is" : "are");
}

/// All panels together.
std::string baseBrief(const Comparison& comparison)
{
    std::vector<const Group*> groups;
    for (const Group& group : comparison.groups)
        groups.push_back(&group);
    const auto text = baseText(comparison, groups);
    return text ? " B" + text->substr(1) + "." : "";
}

std::string whatText(const Comparison& comparison, const std::string& of)
{
    return quantity(comparison.show) + " of " + of + scalingText(comparison) + ranksRange(comparison) +
           plansText(comparison) + ".";
}

Part whatPart(const Comparison& comparison)
{
    const std::vector<std::string> models = occurringLevels(comparison, "model");
    const std::string brief = models.size() > 1 ? numeral(models.size()) + " models" : comparison.experiment;
    return {whatText(comparison, models.empty() ? comparison.experiment : enumerate(models)),
            whatText(comparison, brief)};
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

} // namespace

std::string captionOf(const Comparison& comparison, const Comparison& drawn, const FigureData& figure)
{
    if (comparison.groups.empty() || figure.panels.empty())
        return {};
    const auto always = [](const std::string& text) { return Part{text, text}; };
    const std::string counts = countsSentence(comparison);
    return fitted({whatPart(drawn),
                   {ownPlansSentence(drawn), ownPlansBrief(drawn)},
                   {baseSentence(figure), baseBrief(drawn)},
                   always(pointsSentence(drawn, figure) + intervalSentence(drawn)),
                   conditionsPart(drawn),
                   differencesPart(drawn),
                   {serversSentence(drawn), ""},
                   always(markSentences(drawn)),
                   {counts, cutText(counts, 120)}});
}

std::string spokenOf(const Comparison& comparison, const Layout& layout, const FigureData& figure)
{
    std::string text = figure.title + ".";
    for (const Panel& panel : figure.panels)
        text += spokenPanel(comparison, layout, figure, panel);
    for (const std::string& note : figure.notes)
        text += " " + note + (note.ends_with('.') ? "" : ".");
    return text;
}

} // namespace ringside::report
