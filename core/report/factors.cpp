// SPDX-License-Identifier: MIT
#include "core/report/factors.h"

#include "core/base/sequences.h"
#include "core/report/distinguishing.h"
#include "core/report/imported.h"
#include "core/spec/schema.h"

#include <algorithm>
#include <map>

namespace ringside::report {
namespace {

/// A log may have levels that the experiment does not declare. Plans are not among them: those of a log are no levels.
void addImportedLevels(spec::Factor& factor, const std::vector<Group>& groups)
{
    const bool isAscending = std::ranges::is_sorted(factor.levels);
    for (const Group& group : groups) {
        const Value* level = isImported(group) ? valueOf(group.settings, factor.key) : nullptr;
        if (level && factor.key != "plan" && !contains(factor.levels, *level))
            factor.levels.insert(isAscending ? std::ranges::lower_bound(factor.levels, *level) : factor.levels.end(),
                                 *level);
    }
}

bool varies(const std::vector<Group>& groups, const std::string& key)
{
    return std::ranges::any_of(groups, [&](const Group& group) {
        const Value *value = valueOf(group.settings, key), *first = valueOf(groups.front().settings, key);
        return (value == nullptr) != (first == nullptr) || (value && !(*value == *first));
    });
}

bool isNumber(const Value& level)
{
    return std::holds_alternative<std::int64_t>(level) || std::holds_alternative<double>(level);
}

spec::Factor undeclaredFactor(const std::string& key, const std::vector<const Settings*>& all)
{
    spec::Factor factor{key, {}};
    for (const Settings* settings : all)
        if (const Value* level = valueOf(*settings, key))
            if (!contains(factor.levels, *level))
                factor.levels.push_back(*level);
    if (std::ranges::all_of(factor.levels, isNumber))
        std::ranges::sort(factor.levels);
    return factor;
}

/// As the schema has them, where it has words: groups that nothing else distinguishes are in the order of their keys.
void orderWords(spec::Factor& factor)
{
    const spec::Setting* setting = spec::findSetting(factor.key);
    if (!setting)
        return;
    std::ranges::stable_sort(factor.levels, {}, [&](const Value& level) {
        return std::ranges::find(setting->levels, toText(level), &spec::Level::word) - setting->levels.begin();
    });
}

std::vector<std::optional<Value>> levelsOf(const Settings& settings, const std::vector<spec::Factor>& factors)
{
    return mapped(factors, [&](const spec::Factor& factor) {
        const Value* level = valueOf(settings, factor.key);
        return level ? std::optional(*level) : std::nullopt;
    });
}

/// Groups that no factor distinguishes would be one point under one name: logs, and single ranks to which a conditional
/// gives other settings for each plan. Whatever their settings differ in distinguishes them.
void addDistinguishing(std::vector<spec::Factor>& factors, const std::vector<Group>& groups,
                       const std::vector<const Settings*>& all)
{
    std::map<std::pair<bool, std::vector<std::optional<Value>>>, std::vector<const Settings*>> alike;
    for (const Group& group : groups)
        if (const bool isLog = isImported(group); !isLog || group.n() > 0)
            alike[{isLog, levelsOf(group.settings, factors)}].push_back(&group.settings);
    for (const auto& [levels, settings] : alike)
        for (const std::string& key : distinguishingSettings(settings))
            if (!contains(mapped(factors, &spec::Factor::key), key)) {
                factors.push_back(undeclaredFactor(key, all));
                orderWords(factors.back());
            }
}

} // namespace

std::vector<spec::Factor> declaredFactors(const std::vector<Group>& groups, const spec::Experiment& experiment)
{
    std::vector<spec::Factor> factors = experiment.factors;
    for (spec::Factor& factor : factors)
        addImportedLevels(factor, groups);
    return factors;
}

std::vector<spec::Factor> undeclaredFactors(const spec::Experiment& experiment, const std::vector<const Settings*>& all,
                                            bool areSomeImported)
{
    std::vector<std::string> keys = {"engine", "site"};
    if (areSomeImported)
        keys.insert(keys.end(), {"model", "device"});
    std::vector<spec::Factor> factors;
    for (const std::string& key : keys)
        if (spec::Factor factor = undeclaredFactor(key, all); !experiment.factor(key) && factor.levels.size() > 1)
            factors.push_back(std::move(factor));
    return factors;
}

std::vector<spec::Factor> variedFactors(const std::vector<Group>& groups, const spec::Experiment& experiment)
{
    std::vector<spec::Factor> varied;
    for (spec::Factor& factor : declaredFactors(groups, experiment))
        if (varies(groups, factor.key))
            varied.push_back(std::move(factor));
    const auto all = mapped(groups, [](const Group& group) { return &group.settings; });
    for (spec::Factor& factor : undeclaredFactors(experiment, all, std::ranges::any_of(groups, isImported)))
        varied.push_back(std::move(factor));
    addDistinguishing(varied, groups, all);
    return varied;
}

} // namespace ringside::report
