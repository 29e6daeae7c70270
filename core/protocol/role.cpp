// SPDX-License-Identifier: MIT
#include "core/protocol/role.h"

#include "core/base/words.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/planlimits.h"

#include <algorithm>

namespace ringside {

namespace {

constexpr int kMaxCount = 1'000'000;

int dividedUp(int processes, int by)
{
    return (processes + by - 1) / by;
}

} // namespace

bool isRoleName(std::string_view text)
{
    constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return !text.empty() && text.size() <= kMaxRoleName && text.find_first_not_of(kCharacters) == text.npos;
}

int processesOf(std::span<const Role> roles)
{
    int processes = 0;
    for (const Role& role : roles)
        processes += role.count;
    return processes;
}

int ownNodesOf(std::span<const Role> roles, int ranksPerNode)
{
    int nodes = 0;
    for (const Role& role : roles)
        nodes += role.placement == Placement::own ? dividedUp(role.count, ranksPerNode) : 0;
    return nodes;
}

int mostBesideRanks(std::span<const Role> roles, int nodes)
{
    int processes = 0;
    for (const Role& role : roles)
        processes += role.placement == Placement::shared ? role.count : 0;
    return dividedUp(processes, nodes);
}

RolePlace placeIn(std::span<const Role> roles, int ranks, int process)
{
    int index = process - ranks;
    for (const Role& role : roles) {
        if (index >= 0 && index < role.count)
            return {&role, index};
        index -= role.count;
    }
    return {nullptr, process};
}

bool leads(std::span<const Role> roles, int ranks, int process)
{
    const Role* role = placeIn(roles, ranks, process).role;
    const bool ranksLead = std::ranges::find(roles, Duty::leads, &Role::duty) == roles.end();
    return ranksLead ? process < ranks : role && role->duty == Duty::leads;
}

bool anyServe(std::span<const Role> roles)
{
    return std::ranges::any_of(roles, [](const Role& role) { return role.duty != Duty::helps; });
}

nlohmann::json toJson(const Role& role)
{
    nlohmann::json json{{"name", role.name}, {"count", role.count}, {"placement", nameOf(role.placement)}};
    if (role.duty != Duty::helps)
        json["duty"] = nameOf(role.duty);
    return json;
}

Role readRole(JsonFields& fields)
{
    Role role;
    fields.text("name", role.name, kMaxRoleName);
    if (!isRoleName(role.name))
        fields.refuse("name", Words::tr("expected small letters, digits and “_”"));
    fields.integer("count", role.count, 1, kMaxCount);
    fields.named("placement", role.placement);
    if (fields.has("duty"))
        fields.named("duty", role.duty);
    return role;
}

} // namespace ringside
