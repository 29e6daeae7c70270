// SPDX-License-Identifier: MIT
// Processes that run in an attempt beside the ranks: the roles of its program, each with a count.
#pragma once

#include "core/protocol/names.h"

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

class JsonFields;

/// The nodes on which the processes of a role run.
enum class Placement
{
    shared, ///< on the ranks' nodes: processes of all such roles in turns, from the first node on
    own     ///< on nodes of their own, as many on each as ranks on theirs
};
constexpr auto namesOf(Placement)
{
    return std::to_array<std::string_view>({"shared", "own"});
}

/// The purpose of its processes, which decides when they end.
enum class Duty
{
    helps,  ///< they end by themselves, before or after the ranks
    serves, ///< they never end: they are ended once those that lead have ended well, whatever their exit codes
    leads   ///< they train and report in the ranks' place, which only serve then
};
constexpr auto namesOf(Duty)
{
    return std::to_array<std::string_view>({"helps", "serves", "leads"});
}

inline constexpr Placement kPlacements[] = {Placement::shared, Placement::own};

inline constexpr const char* kServerRole = "server"; ///< holds weights that ranks push gradients to

struct Role
{
    std::string name; ///< a word of the program's, such as kServerRole
    int count = 1;
    Placement placement = Placement::shared;
    Duty duty = Duty::helps;
    bool operator==(const Role&) const = default;
};

/// Counts the processes of all roles.
int processesOf(std::span<const Role> roles);
/// Counts nodes that have no rank, where so many ranks are on a node of theirs.
int ownNodesOf(std::span<const Role> roles, int ranksPerNode);
/// The most of them on a node that has ranks, too, where so many nodes have ranks.
int mostBesideRanks(std::span<const Role> roles, int nodes);

/// A process of a role.
struct RolePlace
{
    const Role* role; ///< nullptr: it is a rank
    int index;        ///< among those of its role
};
/// Returns the place of a process: so many ranks come first, then the roles.
RolePlace placeIn(std::span<const Role> roles, int ranks, int process);
/// Returns whether it trains and reports it, as ranks do unless a role leads.
bool leads(std::span<const Role> roles, int ranks, int process);
/// Returns whether some of them have to be ended.
bool anyServe(std::span<const Role> roles);

/// As in plan.json.
nlohmann::json toJson(const Role& role);
Role readRole(JsonFields& fields);

} // namespace ringside
