// SPDX-License-Identifier: MIT
#include "core/spec/resolve.h"

#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/systems.h"
#include "core/spec/wording.h"

#include <algorithm>

namespace ringside::spec {

namespace {

tl::unexpected<Unresolved> unresolved(std::string key, std::int64_t value, std::string message, std::string hint)
{
    return tl::unexpected(Unresolved{std::move(key), std::to_string(value), std::move(message), std::move(hint)});
}

tl::unexpected<Unresolved> missing(std::string key, std::string hint)
{
    return tl::unexpected(Unresolved{key, "", Words::tr("{}: is missing.", shownLabelOf(key)), std::move(hint)});
}

void addStandard(Settings& settings, const Setting& setting)
{
    if (const auto standard = standardOf(setting, settings))
        settings.try_emplace(std::string(setting.key), *standard);
}

void addStandardsOfOptions(Settings& settings)
{
    if (const System* system = systemOf(settings))
        for (const Setting& option : system->options)
            if (knows(settings, option.key))
                addStandard(settings, option);
}

/// Settings that the engine does not know are left out: neither a default is added nor what is set for other engines.
/// It aggregates in its own way.
void addStandards(Settings& settings)
{
    std::erase_if(settings, [&](const auto& entry) { return !knows(settings, entry.first); });
    for (const Setting& setting : schema())
        if (knows(settings, setting.key))
            addStandard(settings, setting);
    addStandardsOfOptions(settings);
    if (systemOf(settings))
        settings["plan"] = std::string(kOwnPlan);
}

/// "Use 96 or 104.": the multiples of `divisor` on both sides.
std::string multiplesAround(std::int64_t number, std::int64_t divisor)
{
    const std::int64_t below = number - number % divisor;
    return below == 0 ? Words::tr("Use {}.", divisor) : Words::tr("Use {} or {}.", below, below + divisor);
}

std::string ranksText(std::int64_t ranks)
{
    return Words::counted("{} ranks", "{} rank", ranks);
}
std::string nodesText(std::int64_t nodes)
{
    return Words::counted("{} nodes", "{} node", nodes);
}

/// `partsText`: "4 ranks".
Resolved<std::int64_t> share(const std::string& key, std::int64_t whole, std::int64_t parts,
                             std::string (*partsText)(std::int64_t))
{
    if (whole % parts == 0)
        return whole / parts;
    const std::string label = isBatchKey(key) ? Words::tr("Batch") : shownLabelOf(key);
    return unresolved(key, whole, Words::tr("{}: {} cannot be divided by {}.", label, whole, partsText(parts)),
                      multiplesAround(whole, parts));
}

/// So that what follows neither divides by zero nor overflows.
Resolved<void> checkNumbers(const Settings& settings, bool (*isKind)(std::string_view))
{
    for (const auto& [key, value] : settings)
        if (isKind(key))
            if (const auto canonical = canonicalValue(*findSetting(key), value); !canonical)
                return tl::unexpected(Unresolved{key, toText(value), about(key, canonical.error().message), ""});
    return {};
}

/// An option whose default is one of these, and may be more than it can be.
bool isAsWorld(std::string_view key)
{
    const Setting* setting = isOption(key) ? findSetting(key) : nullptr;
    return setting && isWorldKey(setting->standardFrom);
}

struct World
{
    std::int64_t ranks = 1, nodes = 1, perNode = 1;
};

Resolved<World> worldOf(const Settings& settings)
{
    const auto ranks = integerOf(settings, "ranks");
    const auto nodes = integerOf(settings, "nodes");
    const auto perNode = integerOf(settings, "ranks_per_node");
    if (!ranks)
        return World{nodes.value_or(1) * perNode.value_or(1), nodes.value_or(1), perNode.value_or(1)};
    if (perNode && !nodes)
        return share("ranks", *ranks, *perNode, ranksText).map([&](auto n) { return World{*ranks, n, *perNode}; });
    const std::int64_t nodeCount = nodes.value_or(1);
    if (perNode && nodeCount * *perNode != *ranks)
        return unresolved(
            "ranks", *ranks,
            Words::tr("Ranks: {} is not {} with {} each.", *ranks, nodesText(nodeCount), ranksText(*perNode)),
            Words::tr("Use {}, or leave one of the three out.", nodeCount * *perNode));
    return share("ranks", *ranks, nodeCount, nodesText).map([&](auto p) { return World{*ranks, nodeCount, p}; });
}

Resolved<void> completeWorld(Settings& settings)
{
    if (auto checked = checkNumbers(settings, isWorldKey); !checked)
        return checked;
    const auto world = worldOf(settings);
    if (!world)
        return tl::unexpected(world.error());
    settings["ranks"] = world->ranks;
    settings["nodes"] = world->nodes;
    settings["ranks_per_node"] = world->perNode;
    addStandardsOfOptions(settings); // some are as many as ranks or nodes
    if (const auto checked = checkNumbers(settings, isAsWorld); !checked)
        return checked;
    return checkNumbers(settings, isWorldKey);
}

/// The global batch stays only where it was set: that is what makes scaling strong.
Resolved<void> completeBatch(Settings& settings)
{
    if (auto checked = checkNumbers(settings, isBatchKey); !checked)
        return checked;
    const std::int64_t ranks = *integerOf(settings, "ranks");
    const auto global = integerOf(settings, "batch_global");
    const auto perRank = integerOf(settings, "batch_per_rank");
    if (!global)
        return perRank ? Resolved<void>{}
                       : missing("batch_per_rank", Words::tr("Add batch_per_rank = 16, or batch_global."));
    const auto derived = share("batch_global", *global, ranks, ranksText);
    if (!derived)
        return tl::unexpected(derived.error());
    if (perRank && *perRank != *derived)
        return unresolved(
            "batch_per_rank", *perRank,
            Words::tr("Batch: {} per rank and {} in all do not agree on {}.", *perRank, *global, ranksText(ranks)),
            Words::tr("Keep one of batch_per_rank and batch_global."));
    settings["batch_per_rank"] = *derived;
    return {};
}

void collapsePlan(Settings& settings)
{
    if (integerOf(settings, "ranks") == 1)
        settings["plan"] = std::string(kNoPlan);
}

/// One may be without effect because another one is.
void dropIdleOptions(Settings& settings)
{
    if (const System* system = systemOf(settings); !system || system->effects.empty())
        return;
    while (std::erase_if(settings, [before = settings](const auto& entry) {
               return isOption(entry.first) && !hasEffect(before, entry.first);
           }) > 0) {
    }
}

/// Settings that conditionals and exclusions are matched against: completed where possible, else as the file gives
/// them.
Settings completed(Settings given)
{
    addStandards(given);
    Settings complete = given;
    return completeWorld(complete) ? complete : given;
}

/// Changes what is given, and returns the indices of the conditionals that did so.
std::vector<std::size_t> applyConditionals(const Experiment& experiment, Settings& given)
{
    std::vector<std::size_t> applied;
    Settings complete = completed(given);
    for (std::size_t i = 0; i < experiment.when.size(); ++i)
        if (matches(complete, experiment.when[i].match)) {
            given = overlay(std::move(given), experiment.when[i].set);
            complete = completed(given);
            applied.push_back(i);
        }
    return applied;
}

bool isExcluded(const Experiment& experiment, const Settings& settings)
{
    return std::ranges::any_of(experiment.exclude,
                               [&](const Settings& pattern) { return !pattern.empty() && matches(settings, pattern); });
}

} // namespace

bool isWorldKey(std::string_view key)
{
    return key == "ranks" || key == "nodes" || key == "ranks_per_node";
}
bool isBatchKey(std::string_view key)
{
    return key == "batch_per_rank" || key == "batch_global";
}

Settings overlay(Settings lower, const Settings& upper)
{
    if (std::ranges::any_of(upper, [](const auto& entry) { return isBatchKey(entry.first); }))
        std::erase_if(lower, [](const auto& entry) { return isBatchKey(entry.first); });
    for (const auto& [key, value] : upper)
        lower[key] = value;
    return lower;
}

bool matches(const Settings& settings, const Settings& pattern)
{
    return std::ranges::all_of(pattern, [&](const auto& entry) {
        const Value* has = valueOf(settings, entry.first);
        return has && *has == entry.second;
    });
}

Resolved<Settings> resolve(Settings given)
{
    addStandards(given);
    if (!textOf(given, "model"))
        return missing("model", Words::tr("Add model = \"resnet50\" to [fixed], or several models to [factors]."));
    if (const auto world = completeWorld(given); !world)
        return tl::unexpected(world.error());
    if (const auto batch = completeBatch(given); !batch)
        return tl::unexpected(batch.error());
    collapsePlan(given);
    dropIdleOptions(given);
    return given;
}

Settings withDefaultsOf(const std::vector<std::string>& keys, Settings settings)
{
    const auto complete = resolve(settings);
    for (const std::string& key : keys)
        if (const Value* standard = complete ? valueOf(*complete, key) : nullptr)
            settings.try_emplace(key, *standard);
    return settings;
}

Resolved<Cell> resolveCell(const Experiment& experiment, const Settings& levels, std::string_view site)
{
    Settings given = overlay(experiment.fixed, levels);
    std::vector<std::size_t> applied = applyConditionals(experiment, given);
    given["site"] = std::string(site);
    const Settings partly = completed(given);
    const std::string plan = textOf(partly, "plan").value_or(kStandardPlan);
    auto resolved = resolve(std::move(given));
    if (isExcluded(experiment, partly) || (resolved && isExcluded(experiment, *resolved)))
        return Cell{resolved ? *resolved : partly, plan, true, std::move(applied)};
    if (!resolved)
        return tl::unexpected(resolved.error());
    std::string gap = gapOf(*resolved).value_or("");
    return Cell{std::move(*resolved), plan, !gap.empty(), std::move(applied), gap};
}

void forEachCombination(const Experiment& experiment, const std::function<bool(const Settings&)>& visit)
{
    const auto& factors = experiment.factors;
    if (std::ranges::any_of(factors, [](const Factor& f) { return f.levels.empty(); }))
        return;
    std::vector<std::size_t> place(factors.size(), 0);
    for (;;) {
        Settings levels;
        for (std::size_t i = 0; i < factors.size(); ++i)
            levels[factors[i].key] = factors[i].levels[place[i]];
        if (!visit(levels))
            return;
        std::size_t turning = factors.size();
        while (turning > 0 && ++place[turning - 1] == factors[turning - 1].levels.size())
            place[--turning] = 0;
        if (turning == 0)
            return;
    }
}

} // namespace ringside::spec
