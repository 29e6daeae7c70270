// SPDX-License-Identifier: MIT
#include "core/report/imported.h"

#include "core/base/sequences.h"
#include "core/report/differences.h"
#include "core/report/figurewords.h"
#include "core/report/layout.h"
#include "core/report/names.h"
#include "core/spec/resolve.h"

#include <algorithm>

namespace ringside::report {
namespace {

/// Site and engine are what an import brings, and systems aggregate in their own ways.
bool standsBeside(const Comparison& comparison, const Group& own, const Group& imported)
{
    return std::ranges::all_of(comparison.factors, [&](const spec::Factor& factor) {
        const Value *had = levelOf(own, factor.key), *has = levelOf(imported, factor.key);
        const bool isBrought = factor.key == "site" || factor.key == "engine" || factor.key == "plan";
        return isBrought || !had || !has || *had == *has;
    });
}

bool isFactor(const Comparison& comparison, const std::string& key)
{
    return key == "site" || varied(comparison, key) != nullptr;
}

} // namespace

bool isImported(const Group& group)
{
    return group.flags.contains(groupflag::kImported);
}

std::string absentText(const Group& group, const std::string& key)
{
    return isImported(group) ? settingText(key) + " not told" : "without " + settingText(key);
}

spec::Differences settingsThatDiffer(const spec::Experiment& experiment, const Group& base, const Group& group)
{
    spec::Differences differences = spec::undeclaredDifferences(experiment, base.settings, group.settings);
    for (const Group* one : {&base, &group})
        if (isImported(*one))
            std::erase_if(differences, [&](const auto& entry) { return !one->settings.contains(entry.first); });
    return differences;
}

void addDifferencesFromOwn(Comparison& comparison, const spec::Experiment& experiment)
{
    for (Group& group : comparison.groups) {
        group.differsFromOwn.clear();
        if (!isImported(group) || group.n() == 0)
            continue;
        for (const Group& own : comparison.groups)
            if (!isImported(own) && own.n() > 0 && standsBeside(comparison, own, group))
                for (const auto& [key, levels] : settingsThatDiffer(experiment, own, group))
                    if (!isFactor(comparison, key))
                        group.differsFromOwn[key].insert(levels.first);
    }
}

std::string importedDifferencesText(const Comparison& comparison)
{
    std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> sides;
    for (const Group& group : comparison.groups)
        for (const auto& [key, levels] : group.differsFromOwn) {
            sides[key].first.insert(differenceLevelText(key, *levelOf(group, key)));
            for (const std::optional<Value>& level : levels)
                sides[key].second.insert(differenceLevelText(key, level));
        }
    return enumerate(mapped(sides, [](const auto& side) {
        return fmt::format("{} (imported: {}; own: {})", differingNames(spec::Differences{{side.first, {}}}),
                           joined(side.second.first, ", "), joined(side.second.second, ", "));
    }));
}

std::string importedDifferingNames(const Comparison& comparison)
{
    spec::Differences differences;
    for (const Group& group : comparison.groups)
        for (const auto& [key, levels] : group.differsFromOwn)
            differences.try_emplace(key);
    return differingNames(differences);
}

bool tellsBatch(const Settings& settings)
{
    return settings.contains("batch_per_rank") || settings.contains("batch_global");
}

bool isBatchUntold(const Comparison& comparison, const Settings& where)
{
    return std::ranges::any_of(comparison.groups, [&](const Group& group) {
        return isImported(group) && group.n() > 0 && !tellsBatch(group.settings) &&
               spec::matches(group.settings, where);
    });
}

std::string untoldBatchText(const Comparison& comparison)
{
    bool anyTells = false, anyDoesNot = false;
    for (const Group& group : comparison.groups)
        if (isImported(group) && group.n() > 0)
            (tellsBatch(group.settings) ? anyTells : anyDoesNot) = true;
    return !anyDoesNot ? "" : anyTells ? "batch not told for some imported runs" : "batch not told for imported runs";
}

} // namespace ringside::report
