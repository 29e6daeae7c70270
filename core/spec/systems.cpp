// SPDX-License-Identifier: MIT
#include "core/spec/systems.h"

#include "core/base/placeholders.h"
#include "core/base/sequences.h"
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

/// The first row that matches.
template <class Row> const Row* rowFor(const std::vector<Row>& rows, const Settings& settings)
{
    const auto found = std::ranges::find_if(rows, [&](const Row& row) { return matches(settings, row.match); });
    return found == rows.end() ? nullptr : &*found;
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

/// What its command, its environment and the processes beside it are made of; `device` is what it is placed by, too.
bool isForScripts(const System& system, std::string_view key)
{
    const auto names = [key](const std::string& text) {
        const auto placeholders = placeholdersOf(text);
        return placeholders && contains(*placeholders, key);
    };
    const auto anyNames = [&](const auto& environment) {
        return std::ranges::any_of(environment, [&](const auto& entry) { return names(entry.second); });
    };
    const Engine& engine = system.engine;
    return key == "device" || contains(kSettingsOfAll, key) || std::ranges::any_of(engine.scriptCommand, names) ||
           anyNames(engine.environment) ||
           std::ranges::any_of(engine.roles, [&](const EngineRole& role) { return anyNames(role.environment); }) ||
           std::ranges::any_of(system.roles, [&](const RoleRow& row) {
               return names(row.count) || row.match.contains(std::string(key));
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

std::optional<std::string> scriptOf(const Settings& settings)
{
    const System* system = systemOf(settings);
    return system ? textOf(settings, fmt::format("{}.{}", system->name, kScriptOption)) : std::nullopt;
}

bool isOption(std::string_view key)
{
    return key.find('.') != std::string_view::npos;
}

bool knows(const Settings& settings, std::string_view key)
{
    const System* system = systemOf(settings);
    if (!system)
        return !isOption(key);
    return system->settings.contains(key) && (!scriptOf(settings) || isForScripts(*system, key));
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
        return std::nullopt;
    for (const auto& [key, levels] : system->levels)
        if (const Value* level = valueOf(resolved, key); level && !contains(levels, *level) && !scriptOf(resolved))
            return Words::tr("it has no {}.", inQuotes(shownLabelOf(key, *level)));
    const std::int64_t ranks = integerOf(resolved, "ranks").value_or(1);
    const auto holds = [&](const Gap& gap) { return ranks >= gap.leastRanks && matches(resolved, gap.match); };
    const auto found = std::ranges::find_if(system->gaps, holds);
    return found == system->gaps.end() ? std::nullopt : std::optional(found->why);
}

std::vector<Role> rolesOf(const Settings& resolved)
{
    const System* system = systemOf(resolved);
    const std::int64_t ranks = integerOf(resolved, "ranks").value_or(1);
    std::vector<Role> roles;
    if (!system)
        return roles;
    for (const RoleRow& row : system->roles)
        if (ranks >= row.leastRanks && matches(resolved, row.match))
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

std::string designOf(const Settings& resolved)
{
    const System* system = systemOf(resolved);
    const Design* design = system ? rowFor(system->designs, resolved) : nullptr;
    return design ? design->plan : std::string();
}

} // namespace ringside::spec
