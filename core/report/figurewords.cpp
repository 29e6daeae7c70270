// SPDX-License-Identifier: MIT
#include "core/report/figurewords.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/report/caveats.h"
#include "core/report/comparedkind.h"
#include "core/report/differences.h"
#include "core/report/flagnotes.h"
#include "core/report/imported.h"
#include "core/report/names.h"
#include "core/report/numbers.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>

namespace ringside::report {
namespace {

/// Groups with another n than most that are named.
constexpr int kMostExceptions = 3;

/// Returns whether the plan of a base case that is not shown is no exact one: of one that is, its own name says it.
bool isMarkedBase(const Comparison& comparison, std::size_t at)
{
    return std::ranges::any_of(unshownBases(comparison), [&](const Group* base) {
        return base->base == at && (base->lossy || base->asynchronous);
    });
}

/// "1 CPU rank", "plan one", "cache warmed and prefetched batches 1".
std::string whereText(const Comparison& comparison, std::size_t at)
{
    const Settings& factors = comparison.cases[at].settings;
    std::vector<std::string> parts;
    for (const auto& [key, value] : comparison.where) {
        Settings asAsked = factors; // a plan is "none" on one rank
        asAsked.insert_or_assign(key, value);
        const std::string text = levelText(key, asAsked), label = spec::labelOf(key, value);
        parts.push_back(text == label ? key + " " + label : text);
        if (key == "plan" && isMarkedBase(comparison, at))
            parts.back() += kCaveat;
    }
    return enumerate(parts);
}

/// " (MXNet against plan mxnet, PyTorch against plan ddp)": which plan the rule means for engines that have none of
/// these.
std::string plansMeant(const Comparison& comparison, const std::vector<const Group*>& groups)
{
    std::map<std::string, std::set<std::string>> plans; // by engine
    if (varied(comparison, "plan") && comparison.where.contains("engine") && !comparison.where.contains("plan"))
        for (const Group* group : groups)
            if (const Settings* base = group->base ? &comparison.cases[*group->base].settings : nullptr;
                base && textOf(*base, "engine") != textOf(group->settings, "engine") &&
                textOf(*base, "plan") != spec::kNoPlan)
                plans[spec::labelOf("engine", *levelOf(*group, "engine"))].insert(levelText("plan", *base));
    const auto text = [](const auto& entry) {
        return fmt::format("{} against plan {}", entry.first, fmt::join(entry.second, " and "));
    };
    return plans.empty() ? "" : " (" + joined(plans, ", ", text) + ")";
}

std::string rateText(const BaseCase& base)
{
    return fmt::format("{} {}", formatNumber(base.throughput.value.value_or(0), columnDecimals({base.throughput})),
                       itemWords(itemsOf(base.settings)).perSecond);
}

/// "61.40–80.10 images/s": the absolute values of base cases that count the same items.
std::string rateRange(Items items, const std::vector<const BaseCase*>& cases)
{
    if (cases.size() == 1)
        return rateText(*cases.front());
    std::vector<Measure> rates = mapped(cases, &BaseCase::throughput);
    const int decimals = columnDecimals(rates);
    const auto [least, most] = std::ranges::minmax_element(rates, {}, [](const Measure& rate) { return rate.value; });
    return fmt::format("{}–{} {}", formatNumber(least->value.value_or(0), decimals),
                       formatNumber(most->value.value_or(0), decimals), itemWords(items).perSecond);
}

/// "61.40–80.10 images/s and 14.20 sequences/s": of several base cases, whatever they count.
std::string rateRanges(const Comparison& comparison, const std::set<std::size_t>& cases)
{
    std::map<Items, std::vector<const BaseCase*>> byItems;
    for (const std::size_t i : cases)
        byItems[itemsOf(comparison.cases[i].settings)].push_back(&comparison.cases[i]);
    return enumerate(mapped(byItems, [](const auto& entry) { return rateRange(entry.first, entry.second); }));
}

/// Leaves out what has yet to be measured, failed or is left out, which is for the notes and not for title and caption;
/// returns all of it where nothing is drawn.
Comparison drawnOf(Comparison comparison)
{
    const auto isDrawn = [&](const Group& group) { return comparison.kind->measureOf(group).value.has_value(); };
    if (std::ranges::none_of(comparison.groups, isDrawn))
        return comparison;
    std::erase_if(comparison.groups, std::not_fn(isDrawn));
    comparison.scaling = scalingOf(comparison);
    std::vector<const Group*> spoken = unshownBases(comparison);
    for (const Group& group : comparison.groups)
        spoken.push_back(&group);
    std::erase_if(comparison.ownPlans, [&](const auto& own) {
        return std::ranges::none_of(spoken,
                                    [&](const Group* group) { return textOf(group->settings, "plan") == own.first; });
    });
    return comparison;
}

std::string titleOf(const Comparison& comparison)
{
    return comparison.kind->titleOf(comparison, subjectOf(comparison));
}

std::string keyNoteOf(const Comparison& comparison)
{
    std::vector<std::string> parts = mapped(caveatsOf(comparison), &Caveat::title);
    for (std::string& note : comparison.kind->keyNotes(comparison))
        parts.push_back(std::move(note));
    parts.push_back(runsText(comparison));
    return joined(parts, " · ");
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

} // namespace

std::string enumerate(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

std::string firstAndCount(const std::vector<std::string>& words)
{
    return words.front() + (words.size() > 1 ? fmt::format(" and {} more", words.size() - 1) : "");
}

std::string sentenceOf(std::string note)
{
    if (!note.empty() && note.front() >= 'a' && note.front() <= 'z')
        note.front() = static_cast<char>(note.front() - 'a' + 'A');
    return note + ".";
}

std::string cutText(const std::string& text, std::size_t mostBytes)
{
    constexpr std::string_view kEllipsis = "…";
    if (text.size() <= mostBytes)
        return text;
    return std::string(beginning(text, mostBytes - kEllipsis.size())).append(kEllipsis);
}

std::string counted(int count, std::string_view singular, std::string_view plural)
{
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::optional<std::string> baseText(const Comparison& comparison, const std::vector<const Group*>& groups)
{
    if (!comparison.kind->isRatio())
        return std::nullopt;
    std::set<std::size_t> cases;
    for (const Group* group : groups)
        if (group->base)
            cases.insert(*group->base);
    if (cases.empty())
        return std::nullopt;
    const BaseCase& first = comparison.cases[*cases.begin()];
    const std::string where = whereText(comparison, *cases.begin()) + plansMeant(comparison, groups);
    if (cases.size() > 1)
        return fmt::format("base case: {} ({} cases, {})", where, cases.size(), rateRanges(comparison, cases));
    return fmt::format("base case: {}, {}, n = {}", where, rateText(first), first.n);
}

std::string runsText(const Comparison& comparison)
{
    std::set<int> counts;
    for (const Group& group : comparison.groups)
        if (group.n() > 0)
            counts.insert(group.n());
    if (counts.size() > 1)
        return fmt::format("n = {}–{}", *counts.begin(), *counts.rbegin());
    return fmt::format("n = {}", counts.empty() ? 0 : *counts.begin());
}

std::string runsInWords(const Comparison& comparison)
{
    std::vector<std::string> keys = mapped(comparison.factors, &spec::Factor::key);
    const int usual = usualRuns(comparison);
    std::string text = fmt::format("n = {}", usual);
    int exceptions = 0;
    for (const Group& group : comparison.groups)
        if (group.n() > 0 && group.n() != usual && ++exceptions <= kMostExceptions)
            text += fmt::format("; {}: n = {}", labelFor(comparison, group, keys), group.n());
    return exceptions > kMostExceptions ? runsText(comparison) : text;
}

std::vector<std::string> occurringLevels(const Comparison& comparison, std::string_view key)
{
    std::vector<std::string> labels;
    for (const Group& group : comparison.groups)
        if (const Value* level = levelOf(group, key)) {
            const std::string label = spec::labelOf(key, *level);
            if (!contains(labels, label))
                labels.push_back(label);
        }
    return labels;
}

std::string withSystem(const std::string& what, const Comparison& comparison)
{
    const std::vector<std::string> engines = occurringLevels(comparison, "engine");
    const bool isOne = engines.size() == 1 && spec::systemOf(comparison.groups.front().settings);
    return isOne ? what + " with " + engines.front() : what;
}

std::string subjectOf(const Comparison& comparison)
{
    std::vector<std::string> models = occurringLevels(comparison, "model");
    std::ranges::replace(models, spec::labelOf("model", Value(std::string(spec::kModelNotTold))),
                         "a model that is not told");
    return withSystem(models.empty() ? comparison.experiment : enumerate(models), comparison);
}

std::string serversText(const Comparison& comparison)
{
    std::set<int> counts;
    for (const Group& group : comparison.groups)
        if (group.n() > 0 && group.servers > 0)
            counts.insert(group.servers);
    std::vector<std::string> words;
    std::ranges::transform(counts, std::back_inserter(words), [](int count) { return std::to_string(count); });
    return words.empty() ? "" : "parameter servers (" + enumerate(words) + ") are not counted as ranks";
}

/// Says which cells have nothing to show, and whether because their runs are not done or because these are left out.
std::vector<std::string> gapNotes(const Comparison& comparison, const std::vector<std::string>& keys)
{
    std::vector<std::string> missing, leftOut;
    for (const Group& group : comparison.groups)
        if (group.n() == 0)
            (group.finishedOut == 0 ? missing : leftOut).push_back(labelFor(comparison, group, keys));
    const std::size_t all = comparison.groups.size(), shown = all - missing.size() - leftOut.size();
    if (shown == 0 && leftOut.empty())
        return {"No finished runs match."};
    if (shown == 0 && missing.empty())
        return {"All finished runs are left out."};
    std::vector<std::string> notes;
    if (!missing.empty())
        notes.push_back(
            fmt::format("{} of {} cells have runs; missing: {}", all - missing.size(), all, firstAndCount(missing)));
    if (!leftOut.empty())
        notes.push_back("all runs are left out of: " + firstAndCount(leftOut));
    return notes;
}

/// Options of runs that were made by another table than the one that is here.
std::vector<std::string> goneOptionNotes(const Comparison& comparison)
{
    std::set<std::string> options;
    for (const Group& group : comparison.groups)
        for (const auto& [key, value] : group.settings)
            if (spec::isGoneOption(key))
                options.insert(key);
    return mapped<std::string>(options, [](const std::string& option) {
        return fmt::format("{} is in no table here: runs have it from another table of their system", option);
    });
}

std::vector<std::string> notesOf(const Comparison& comparison)
{
    int failed = 0, withoutBase = 0;
    std::vector<std::string> keys = mapped(comparison.factors, &spec::Factor::key);
    for (const Group& group : comparison.groups) {
        failed += group.failed;
        withoutBase += comparison.kind->isRatio() && group.n() > 0 && !group.base;
    }
    std::vector<std::string> notes = gapNotes(comparison, keys);
    if (comparison.noSpeedup)
        notes.push_back("there are no speed-ups: " + *comparison.noSpeedup);
    if (const std::string differences = differencesText(comparison); !differences.empty())
        notes.push_back("not only factors differ from the base case: " + differences);
    if (const std::string differences = importedDifferencesText(comparison); !differences.empty())
        notes.push_back("imported runs differ from the experiment's own in " + differences);
    if (std::string untold = untoldBatchText(comparison); !untold.empty())
        notes.push_back(std::move(untold));
    const auto append = [&](std::vector<std::string> more) { notes.insert(notes.end(), more.begin(), more.end()); };
    append(goneOptionNotes(comparison));
    append(pooledNotes(comparison));
    for (const Caveat& caveat : caveatsOf(comparison))
        notes.push_back(caveat.note());
    if (std::string servers = serversText(comparison); !servers.empty())
        notes.push_back(std::move(servers));
    append(flagNotes(comparison));
    append(disturbedNotes(comparison));
    if (failed > 0)
        notes.push_back(counted(failed, "attempt failed", "attempts failed"));
    if (std::string ofBase = baseNote(comparison); !ofBase.empty())
        notes.push_back(std::move(ofBase));
    if (withoutBase > 0)
        notes.push_back(counted(withoutBase, "cell has no base case", "cells have no base case"));
    return notes;
}

void addWords(const Comparison& comparison, const Layout& layout, FigureData& figure)
{
    const Comparison drawn = drawnOf(comparison);
    figure.title = titleOf(drawn);
    figure.keyNote = keyNoteOf(drawn);
    if (const std::string names = differingNames(drawn); !names.empty())
        figure.differs = "base case differs in " + names + ", too";
    std::visit([](auto& drawing) -> Axis& { return drawing.valueAxis(); }, figure.drawing).title +=
        axisCaveats(caveatsOf(drawn));
    figure.notes = notesOf(comparison);
    for (std::string& note : comparison.kind->notes(comparison, figure))
        figure.notes.push_back(std::move(note));
    figure.caption = captionOf(comparison, drawn, figure);
    figure.spoken = spokenOf(comparison, layout, figure);
}

} // namespace ringside::report
