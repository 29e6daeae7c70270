// SPDX-License-Identifier: MIT
// The systems that an experiment may name as its engine, beside Ringside's own: which settings each knows.
// core/adapters makes them of its tables, when a program starts.
#pragma once

#include "core/protocol/aggregationplan.h"
#include "core/protocol/engine.h"
#include "core/protocol/role.h"
#include "core/protocol/versionrange.h"
#include "core/spec/schema.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// The plan of runs that aggregate as their engine does.
inline constexpr const char* kOwnPlan = "own";
/// Returns whether this level of this setting is that plan.
bool isOwnPlan(std::string_view key, const Value& level);

/// The level of `model` in runs that were read from logs, which do not name it. Nothing is trained by it.
inline constexpr std::string_view kModelNotTold = "not_told";

/// Settings that every system obeys: they are in its command, or say where its processes are and how they reach each
/// other.
inline constexpr std::string_view kSettingsOfAll[] = {"engine",         "site",      "model", "batch_per_rank",
                                                      "batch_global",   "ranks",     "nodes", "ranks_per_node",
                                                      "cores_per_rank", "interface", "plan"};

/// Something that a system cannot do.
struct Gap
{
    Settings match;                                        ///< combinations that have all of these
    std::string why;                                       ///< one sentence, English
    int leastRanks = 1;                                    ///< of those, the ones that have so many ranks
    Settings below = {};                                   ///< and all of these numbers smaller than this
    std::map<std::string, std::vector<Value>> unless = {}; ///< and no setting of these with one of its levels
    bool operator==(const Gap&) const = default;
};

/// The plan of Ringside's own engine that has its design, and in which way it departs from exact sums in step.
struct Design
{
    Settings match; ///< an option that is not set has its default; a number may be "{nodes}", as a default may be
    std::string plan = {};     ///< empty: none has
    bool lossy = false;        ///< gradients are compressed
    bool asynchronous = false; ///< ranks do not wait for each other's gradients
    bool operator==(const Design&) const = default;
};

/// Processes that run beside the ranks.
struct RoleRow
{
    std::string name;
    std::string count = "1"; ///< a number, or an option in braces: "{mxnet.servers}"
    Placement placement = Placement::shared;
    Duty duty = Duty::helps;
    Settings match = {}; ///< there are some where all of this holds
    int leastRanks = 2;  ///< there are none for fewer
    bool operator==(const RoleRow&) const = default;
};

/// The share of the training that one process has.
enum class ProcessOf
{
    rank,
    node ///< all ranks of its node, which are GPUs then, or threads
};
constexpr auto namesOf(ProcessOf)
{
    return std::to_array<std::string_view>({"rank", "node"});
}

/// Condition under which an option has an effect. Elsewhere it is no part of a configuration.
struct Effect
{
    Settings match = {};
    int leastRanks = 1, leastNodes = 1;
    bool operator==(const Effect&) const = default;
};

struct System
{
    std::string name;                                 ///< the level of `engine`
    std::string title;                                ///< "MXNet"
    std::string batch = {};                           ///< how batch_per_rank becomes its own number, for people
    bool isStarted = true;                            ///< false: only its logs are read
    VersionRange versions = {};                       ///< for which its table was written
    bool needsInstallation = false;                   ///< where it is started: by Ringside
    std::set<std::string, std::less<>> settings = {}; ///< that it knows, those of all among them, and its options
    std::vector<Setting> options = {};                ///< its own: mxnet.kvstore
    std::map<std::string, Effect, std::less<>> effects = {}; ///< of options that have none everywhere
    std::map<std::string, std::vector<Value>> levels = {};   ///< the only ones that its own command accepts, by setting
    std::vector<Gap> gaps = {};
    std::vector<RoleRow> roles = {};
    std::vector<Design> designs = {};
    ProcessOf process = ProcessOf::rank;
    Engine engine = {};                          ///< as plans carry it, but for what only a site says
    std::vector<std::string> argumentNames = {}; ///< placeholders in the arguments of a user's own script

    const Setting* option(std::string_view key) const;
};

/// Before anything else of this folder is used, by one thread; the texts of options live as long as the program.
/// `refused`: by name, what is wrong with the tables that could not be read.
void setSystems(std::vector<System> systems, std::map<std::string, std::string> refused = {});
/// Says what is wrong with the table of this name; empty: there is none, or nothing.
std::string refusalOf(const std::string& name);
const std::vector<System>& systems();
/// The system that these settings name as their engine; nullptr: Ringside's own.
const System* systemOf(const Settings& settings);
const System* findSystem(std::string_view name);
/// Returns whether Ringside's own worker trains, which alone reports what runs beside its compute thread: communication
/// in all, reading and decoding. The zeros of a system, or of a log, are no measurements.
bool isOwnWorker(const Settings& settings);

/// The user's own script that its ranks run in place of Ringside's driver; nullopt: none.
std::optional<std::string> scriptOf(const Settings& settings);
/// "pytorch.arguments"
std::string argumentsOption(const System& system);
/// Returns whether the command of a user's own script has a place for arguments of the experiment.
bool hasPlaceForArguments(const System& system);
/// Returns whether the command of a user's own script, its arguments or its environment use a setting.
bool isNamedToScript(const Settings& settings, std::string_view key);

/// Returns whether a setting is a system's own.
bool isOption(std::string_view key);
/// Returns whether no table here has an option: runs that were made by another table of their system may have it.
bool isGoneOption(std::string_view key);
/// Returns whether the engine that these settings name obeys a setting. A user's own script obeys its command line.
bool knows(const Settings& settings, std::string_view key);
/// Returns whether an option changes what runs of these settings do: some have no effect on one rank, or beside another
/// option.
bool hasEffect(const Settings& settings, std::string_view key);
/// Says where it has one: "on 2 ranks or more, with mxnet.gradient_compression = 2bit"; in the user's language.
std::string effectText(std::string_view option);
/// Returns whether the engines of both know a setting, so that it can be compared. Engines aggregate in their own ways.
bool isShared(std::string_view key, const Settings& one, const Settings& other);

/// Returns why the engine of a resolved combination cannot do it; nothing: it can.
std::optional<std::string> gapOf(const Settings& resolved);
/// "SINGA: Its DistOpt needs GPUs and NCCL.": the same for people.
std::string gapText(const Settings& resolved, const std::string& gap);
/// Returns the roles of these settings' system, with their counts.
std::vector<Role> rolesOf(const Settings& resolved);
/// For a run that was read from logs: the roles whose counts its settings state.
std::vector<Role> toldRolesOf(const Settings& told);
/// The built-in plan that has the design of these settings' system; empty: none is known to.
std::string designOf(const Settings& resolved);

struct Departures
{
    bool lossy = false, asynchronous = false;
};
/// Says how the sums of gradients of these settings depart from exact ones in step: by their plan, or where that is a
/// system's own way, by the system's table.
Departures departuresOf(const AggregationPlan& plan, const Settings& resolved);

} // namespace ringside::spec
