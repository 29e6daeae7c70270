// SPDX-License-Identifier: MIT
#include "core/spec/systems.h"

#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/protocol/ownprograms.h"
#include "core/spec/basecase.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::spec {

namespace {

struct Tables
{
    std::vector<System> systems;
    std::map<std::string, std::string> refused;
};

Tables& stored()
{
    static Tables all;
    return all;
}

/// Returns whether a row that says `match` and `leastRanks` is about these settings.
bool isAbout(const auto& row, const Settings& settings)
{
    return integerOf(settings, "ranks").value_or(1) >= row.leastRanks && matches(settings, row.match);
}

/// Everywhere, unless its table says otherwise.
Effect effectOf(const System& system, std::string_view option)
{
    const auto found = system.effects.find(option);
    return found == system.effects.end() ? Effect() : found->second;
}

/// With the defaults of options that have no effect.
Settings withOptions(Settings settings, const System& system)
{
    for (const Setting& option : system.options)
        if (const auto standard = option.standardFrom.empty() ? option.standard : standardOf(option, settings))
            settings.try_emplace(std::string(option.key), *standard);
    return settings;
}

/// With the numbers of ranks and nodes for what a table says as "{nodes}".
Settings withCounts(Settings match, const Settings& settings)
{
    for (auto& [key, value] : match)
        if (const auto* text = std::get_if<std::string>(&value))
            if (const auto name = onlyPlaceholder(*text))
                if (const Value* count = isWorldKey(*name) ? valueOf(settings, *name) : nullptr)
                    value = *count;
    return match;
}

/// The table was checked.
int countOf(const RoleRow& row, const Settings& settings)
{
    const auto count = filled(row.count, [&](std::string_view name) -> std::optional<std::string> {
        const Value* value = valueOf(settings, name);
        return value ? std::optional(toText(*value)) : std::nullopt;
    });
    return count ? std::atoi(count->c_str()) : 1;
}

bool names(const std::string& text, std::string_view key)
{
    const auto placeholders = placeholdersOf(text);
    return placeholders && contains(*placeholders, key);
}

/// Empty, too, where the command has no place for them.
std::string argumentsIn(const System& system, const Settings& settings)
{
    const std::string option = argumentsOption(system);
    return hasPlaceForArguments(system) ? textOf(settings, option).value_or("") : std::string();
}

/// Returns whether the command of a user's own script, its arguments or its environment use a setting.
bool isNamedToScript(const System& system, const Settings& settings, std::string_view key)
{
    const auto namesKey = [key](const std::string& text) { return names(text, key); };
    const auto anyNames = [&](const auto& environment) {
        return std::ranges::any_of(environment, [&](const auto& entry) { return namesKey(entry.second); });
    };
    const Engine& engine = system.engine;
    return std::ranges::any_of(engine.scriptCommand, namesKey) || namesKey(argumentsIn(system, settings)) ||
           anyNames(engine.environment) ||
           std::ranges::any_of(engine.roles, [&](const EngineRole& role) { return anyNames(role.environment); });
}

/// The placement of its processes and the ones beside it count, too.
bool isForScripts(const System& system, const Settings& settings, std::string_view key)
{
    return key == "device" || contains(kSettingsOfAll, key) || isNamedToScript(system, settings, key) ||
           std::ranges::any_of(system.roles, [&](const RoleRow& row) {
               return names(row.count, key) || row.match.contains(std::string(key));
           });
}

} // namespace

const Setting* System::option(std::string_view key) const
{
    const auto found = std::ranges::find(options, key, &Setting::key);
    return found == options.end() ? nullptr : &*found;
}

void setSystems(std::vector<System> systems, std::map<std::string, std::string> refused)
{
    stored() = {std::move(systems), std::move(refused)};
}

const std::vector<System>& systems()
{
    return stored().systems;
}

std::string refusalOf(const std::string& name)
{
    const auto found = stored().refused.find(name);
    return found == stored().refused.end() ? std::string() : found->second;
}

const System* findSystem(std::string_view name)
{
    const auto found = std::ranges::find(systems(), name, &System::name);
    return found == systems().end() ? nullptr : &*found;
}

const System* systemOf(const Settings& settings)
{
    const auto engine = textOf(settings, "engine");
    return engine ? findSystem(*engine) : nullptr;
}

bool isOwnWorker(const Settings& settings)
{
    const auto engine = textOf(settings, "engine");
    const auto isMeant = [&](const OwnProgram& program) {
        return program.trains && (!engine || *engine == program.name);
    };
    return std::ranges::any_of(kOwnPrograms, isMeant);
}

std::optional<std::string> scriptOf(const Settings& settings)
{
    const System* system = systemOf(settings);
    return system ? textOf(settings, fmt::format("{}.{}", system->name, kScriptOption)) : std::nullopt;
}

std::string argumentsOption(const System& system)
{
    return fmt::format("{}.{}", system.name, kArgumentsOption);
}

bool hasPlaceForArguments(const System& system)
{
    return contains(system.engine.scriptCommand, "{" + argumentsOption(system) + "}");
}

bool isNamedToScript(const Settings& settings, std::string_view key)
{
    const System* system = systemOf(settings);
    return system && isNamedToScript(*system, settings, key);
}

bool isOwnPlan(std::string_view key, const Value& level)
{
    return key == "plan" && level == Value(std::string(kOwnPlan));
}

bool isOption(std::string_view key)
{
    return key.find('.') != std::string_view::npos;
}

bool isGoneOption(std::string_view key)
{
    return isOption(key) && !findSetting(key);
}

bool knows(const Settings& settings, std::string_view key)
{
    const System* system = systemOf(settings);
    if (!system)
        return !isOption(key);
    return system->settings.contains(key) && (!scriptOf(settings) || isForScripts(*system, settings, key));
}

bool hasEffect(const Settings& settings, std::string_view key)
{
    const System* system = systemOf(settings);
    if (!system)
        return true;
    Effect effect = effectOf(*system, key);
    if (scriptOf(settings) && isNamedToScript(*system, settings, key))
        effect.match.clear(); // the driver's conditions are not the script's
    return isAbout(effect, settings) && integerOf(settings, "nodes").value_or(1) >= effect.leastNodes;
}

std::string effectText(std::string_view option)
{
    const System* system = findSystem(option.substr(0, option.find('.')));
    const Effect effect = system ? effectOf(*system, option) : Effect();
    std::vector<std::string> parts;
    if (effect.leastRanks > 1)
        parts.push_back(Words::tr("on {} ranks or more", effect.leastRanks));
    if (effect.leastNodes > 1)
        parts.push_back(Words::tr("on {} nodes or more", effect.leastNodes));
    if (!effect.match.empty())
        parts.push_back(Words::tr("with {}", ruleText(effect.match)));
    return listed(parts);
}

bool isShared(std::string_view key, const Settings& one, const Settings& other)
{
    return systemOf(one) == systemOf(other) ||
           (key != "plan" && !isOption(key) && knows(one, key) && knows(other, key));
}

std::optional<std::string> gapOf(const Settings& resolved)
{
    const System* system = systemOf(resolved);
    if (!system)
        return textOf(resolved, "precision") == "fp16" ? std::optional(Words::noop("It computes in fp32 and bf16."))
                                                       : std::nullopt;
    for (const auto& [key, levels] : system->levels)
        if (const Value* level = valueOf(resolved, key); level && !contains(levels, *level) && !scriptOf(resolved))
            return Words::tr("Ringside does not drive it with {}.", inQuotes(shownLabelOf(key, *level)));
    const auto isLeft = [&](const auto& entry) {
        const Value* level = valueOf(resolved, entry.first);
        return level && contains(entry.second, *level);
    };
    const auto isSmall = [&](const Gap& gap) {
        return std::ranges::all_of(gap.below, [&](const auto& entry) {
            const auto number = numberOf(resolved, entry.first), bound = numberOf(gap.below, entry.first);
            return number && bound && *number < *bound;
        });
    };
    const auto found = std::ranges::find_if(system->gaps, [&](const Gap& gap) {
        return isAbout(gap, resolved) && isSmall(gap) && std::ranges::none_of(gap.unless, isLeft);
    });
    return found == system->gaps.end() ? std::nullopt : std::optional(found->why);
}

std::string gapText(const Settings& resolved, const std::string& gap)
{
    const Value* engine = valueOf(resolved, "engine");
    return fmt::format("{}: {}", engine ? shownLabelOf("engine", *engine) : "Ringside", Words::translated(gap));
}

std::vector<Role> rolesOf(const Settings& resolved)
{
    const System* system = systemOf(resolved);
    std::vector<Role> roles;
    if (!system)
        return roles;
    for (const RoleRow& row : system->roles)
        if (isAbout(row, resolved))
            roles.push_back({row.name, countOf(row, resolved), row.placement, row.duty});
    return roles;
}

std::vector<Role> toldRolesOf(const Settings& told)
{
    const System* system = systemOf(told);
    std::vector<Role> roles;
    for (const RoleRow& row : system ? system->roles : std::vector<RoleRow>())
        if (const auto names = placeholdersOf(row.count);
            names && !names->empty() &&
            std::ranges::all_of(*names, [&](const std::string& name) { return told.contains(name); }))
            roles.push_back({row.name, countOf(row, told), row.placement, row.duty});
    return roles;
}

namespace {

std::vector<Design> designsOf(const Settings& resolved)
{
    const System* system = systemOf(resolved);
    if (!system || scriptOf(resolved)) // what a script does, only its author knows
        return {};
    std::vector<Design> designs = system->designs;
    const Settings settings = withOptions(resolved, *system);
    std::erase_if(designs,
                  [&](const Design& design) { return !matches(settings, withCounts(design.match, settings)); });
    return designs;
}

} // namespace

std::string designOf(const Settings& resolved)
{
    for (const Design& design : designsOf(resolved))
        if (!design.plan.empty())
            return design.plan;
    return {};
}

Departures departuresOf(const AggregationPlan& plan, const Settings& resolved)
{
    Departures departures{plan.isLossy(), plan.isAsynchronous()};
    if (plan.name != kOwnPlan)
        return departures;
    for (const Design& design : designsOf(resolved)) {
        const BuiltInPlan* same = findBuiltInPlan(design.plan);
        departures.lossy |= design.lossy || (same && same->plan.isLossy());
        departures.asynchronous |= design.asynchronous || (same && same->plan.isAsynchronous());
    }
    return departures;
}

} // namespace ringside::spec
