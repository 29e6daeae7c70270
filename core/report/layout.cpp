// SPDX-License-Identifier: MIT
#include "core/report/layout.h"

#include "core/base/sequences.h"
#include "core/report/colours.h"
#include "core/report/comparedkind.h"
#include "core/report/imported.h"
#include "core/report/names.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <limits>

namespace ringside::report {
namespace {

bool isTaken(const Layout& layout, std::string_view key)
{
    return key == layout.x || key == layout.series || key == layout.panels;
}

/// The first of `wished` that varies and is free, else the first free factor that is not in `avoided`.
std::string choose(const Comparison& comparison, const Layout& layout, std::string_view wished,
                   std::string_view avoided)
{
    if (varied(comparison, wished) && !isTaken(layout, wished))
        return std::string(wished);
    for (const spec::Factor& factor : comparison.factors)
        if (factor.key != avoided && !isTaken(layout, factor.key))
            return factor.key;
    return {};
}

/// Returns those asked for that vary and are not asked for twice.
Layout asked(const Comparison& comparison, const FigureRequest& request)
{
    Layout layout;
    const auto take = [&](std::string& place, const std::string& key) {
        if (varied(comparison, key) && !isTaken(layout, key))
            place = key;
    };
    take(layout.x, request.x);
    take(layout.series, request.series);
    take(layout.panels, request.panels);
    return layout;
}

/// An option that has its effect among several ranks is no part of a configuration on one.
bool isIdleOnOneRank(const Settings& settings, const std::string& key)
{
    const spec::System* system = spec::systemOf(settings);
    return integerOf(settings, "ranks") == 1 && system && system->option(key) && !spec::hasEffect(settings, key);
}

bool hasCollapsed(const Comparison& comparison, const Group& group, const std::string& key)
{
    return levelOf(group, key) ? placeOf(comparison, group, key) < 0 : isIdleOnOneRank(group.settings, key);
}

/// A setting that its engine does not know says nothing of a group, and its own way of aggregating nothing beside its
/// name.
bool isKnown(const Group& group, const std::string& key, const std::vector<std::string>& keys)
{
    const Value* level = levelOf(group, key);
    return level ? !(spec::isOwnPlan(key, *level) && contains(keys, "engine")) : isIdleOnOneRank(group.settings, key);
}

/// Counts the places of a key among those that name a series: beside its engine, the own way of a system needs none.
int placesFor(const Comparison& comparison, const std::string& key, const std::vector<std::string>& keys)
{
    const bool isSaidByEngine = key == "plan" && contains(keys, "engine");
    const std::vector<Value> levels = isSaidByEngine ? varied(comparison, key)->levels : placedLevels(comparison, key);
    return static_cast<int>(levels.size());
}

/// Ranks are not named twice: they name a plan that collapsed, too.
template <class TextOf>
std::string joinedLevels(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys,
                         TextOf textOf)
{
    const std::string ranks = ranksText(group.settings);
    std::vector<std::string> levels;
    for (const std::string& key : asDeclared(comparison, keys))
        if (!isKnown(group, key, keys))
            continue;
        else if (std::string text = textOf(key); text != ranks || !contains(levels, ranks))
            levels.push_back(std::move(text));
    return joined(levels, " · ");
}

} // namespace

std::vector<std::string> Layout::seriesKeys() const
{
    std::vector<std::string> keys;
    if (!series.empty())
        keys.push_back(series);
    keys.insert(keys.end(), rest.begin(), rest.end());
    return keys;
}

const spec::Factor* varied(const Comparison& comparison, std::string_view key)
{
    const auto found =
        std::ranges::find_if(comparison.factors, [&](const spec::Factor& factor) { return factor.key == key; });
    return found == comparison.factors.end() ? nullptr : &*found;
}

Layout layoutFor(const Comparison& comparison, const FigureRequest& request)
{
    Layout layout = asked(comparison, request);
    if (layout.x.empty())
        layout.x = choose(comparison, layout, "ranks", "model");
    if (layout.x.empty())
        layout.x = choose(comparison, layout, "model", {});
    if (layout.series.empty())
        layout.series = choose(comparison, layout,
                               isTaken(layout, "engine") || !varied(comparison, "engine") ? "plan" : "engine", "model");
    if (layout.series.empty())
        layout.series = choose(comparison, layout, "model", {});
    if (layout.panels.empty() && varied(comparison, "model") && !isTaken(layout, "model"))
        layout.panels = "model";
    for (const spec::Factor& factor : comparison.factors)
        if (!isTaken(layout, factor.key))
            layout.rest.push_back(factor.key);
    if (comparison.kind->hasSeries()) {
        layout.coloured = colouredPlaces(comparison, layout, request.coloured);
        layout.neutral = neutralPlaces(comparison, layout);
    }
    return layout;
}

const Value* levelOf(const Group& group, std::string_view key)
{
    return valueOf(group.settings, key);
}

std::string factorTitle(const Comparison& comparison, std::string_view key)
{
    std::vector<const Settings*> all = mapped(comparison.groups, [](const Group& group) { return &group.settings; });
    return factorName(key, all);
}

namespace {

/// Behind the word that says how gradients are summed: the plan, or of a system its name or an option.
std::string_view caveatAt(const Group& group, std::string_view key)
{
    const bool isSystems = textOf(group.settings, "plan") == spec::kOwnPlan;
    const bool isIt = key == "plan" || (isSystems && (key == "engine" || spec::isOption(key)));
    return isIt && (group.lossy || group.asynchronous) ? kCaveat : std::string_view();
}

} // namespace

std::string markedLabel(const Group& group, std::string_view key)
{
    const Value* level = levelOf(group, key); // what a log does not state is absent
    return (level ? spec::labelOf(key, *level) : "–") + std::string(caveatAt(group, key));
}

int placeOf(const Comparison& comparison, const Group& group, std::string_view key)
{
    const spec::Factor* factor = varied(comparison, key);
    const Value* level = levelOf(group, key);
    if (!factor || !level)
        return -1;
    const auto place = static_cast<int>(std::ranges::find(factor->levels, *level) - factor->levels.begin());
    const bool isDeclared = place < static_cast<int>(factor->levels.size());
    return isDeclared || spec::isOwnPlan(key, *level) ? place : -1;
}

std::vector<Value> placedLevels(const Comparison& comparison, std::string_view key)
{
    std::vector<Value> levels = varied(comparison, key)->levels;
    const Value systemsWay = std::string(spec::kOwnPlan);
    if (key == "plan" && comparison.hasSystemsWay && !contains(levels, systemsWay))
        levels.push_back(systemsWay);
    return levels;
}

std::vector<std::string> asDeclared(const Comparison& comparison, const std::vector<std::string>& keys)
{
    std::vector<std::string> ordered;
    for (const spec::Factor& factor : comparison.factors)
        if (contains(keys, factor.key))
            ordered.push_back(factor.key);
    return ordered;
}

namespace {

/// Says which factor is absent; empty: none is.
std::string absentText(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys)
{
    const std::vector<std::string> declared = asDeclared(comparison, keys);
    const auto absent = std::ranges::find_if(declared, [&](const auto& key) { return !levelOf(group, key); });
    return absent == declared.end() ? std::string() : absentText(group, *absent);
}

} // namespace

std::string labelFor(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys)
{
    std::string text = joinedLevels(comparison, group, keys, [&](const std::string& key) {
        if (placeOf(comparison, group, key) < 0)
            return ranksText(group.settings);
        if (key == "plan")
            return markedLabel(group, key);
        const bool isMarkedByEngine = spec::isOption(key) && contains(keys, "engine");
        return levelText(key, group.settings) + std::string(isMarkedByEngine ? "" : caveatAt(group, key));
    });
    return text.empty() ? absentText(comparison, group, keys) : text;
}

std::string bareLabelFor(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys)
{
    const bool collapsed = isCollapsed(comparison, group, keys);
    return joinedLevels(comparison, group, keys, [&](const std::string& key) {
        const bool ofRanks = collapsed && (key == "ranks" || placeOf(comparison, group, key) < 0);
        return ofRanks ? ranksText(group.settings) : markedLabel(group, key);
    });
}

std::string engineAndPlan(const Comparison& comparison, const Settings& settings)
{
    Group group;
    group.settings = settings;
    return labelFor(comparison, group, {"engine", "plan"});
}

bool isCollapsed(const Comparison& comparison, const Group& group, const std::vector<std::string>& keys)
{
    return std::ranges::any_of(keys, [&](const std::string& key) { return hasCollapsed(comparison, group, key); });
}

int seriesPlace(const Comparison& comparison, const Group& group, const Layout& layout)
{
    const std::vector<std::string> keys = layout.seriesKeys();
    int place = 0;
    for (const std::string& key : keys) {
        const int places = placesFor(comparison, key, keys);
        const bool isBehind = key == keys.front() && !levelOf(group, key); // only the first has room there
        const int at = isKnown(group, key, keys) ? placeOf(comparison, group, key) : isBehind ? places : 0;
        place = place * places + std::max(0, at);
    }
    return place;
}

int styleOf(const Comparison& comparison, const Group& group, const Layout& layout)
{
    const int place = seriesPlace(comparison, group, layout);
    const std::vector<int>& places =
        isCollapsed(comparison, group, layout.seriesKeys()) ? layout.neutral : layout.coloured;
    if (places.empty())
        return place;
    const auto found = std::ranges::find(places, place);
    return found == places.end() ? kSeriesColours : static_cast<int>(found - places.begin());
}

bool isCount(const Comparison& comparison, std::string_view key)
{
    const spec::Factor* factor = varied(comparison, key);
    return factor && std::ranges::all_of(factor->levels, [](const Value& level) {
               return std::holds_alternative<std::int64_t>(level) || std::holds_alternative<double>(level);
           });
}

std::vector<PanelGroups> dealToPanels(const Comparison& comparison, const Layout& layout)
{
    constexpr int kLast = std::numeric_limits<int>::max();
    std::map<int, PanelGroups> panels;
    for (const Group& group : comparison.groups) {
        const bool isAbsent =
            !layout.panels.empty() && !levelOf(group, layout.panels) && !hasCollapsed(comparison, group, layout.panels);
        const int place = layout.panels.empty() ? 0 : isAbsent ? kLast : placeOf(comparison, group, layout.panels);
        PanelGroups& panel = panels[place];
        if (!layout.panels.empty())
            panel.title = labelFor(comparison, group, {layout.panels});
        panel.groups.push_back(&group);
    }
    std::vector<PanelGroups> dealt;
    for (auto& [place, panel] : panels)
        dealt.push_back(std::move(panel));
    return dealt;
}

} // namespace ringside::report
