// SPDX-License-Identifier: MIT
// A system other than Ringside's own engine, as a plan carries it to its site: by which words its processes are started
// and which lines of their output mean what. core/adapters makes it of a table.
#pragma once

#include "core/base/error.h"
#include "core/protocol/names.h"
#include "core/protocol/states.h"

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The way in which its processes find each other.
enum class EngineMeeting
{
    variables, ///< by environment variables and arguments that a guard fills in
    mpi        ///< by the MPI whose launcher starts them
};
constexpr auto namesOf(EngineMeeting)
{
    return std::to_array<std::string_view>({"variables", "mpi"});
}

/// A form of lines, in the words of core/logs.
struct EngineLine
{
    std::string pattern;
    std::string meaning;       ///< "interval"
    std::string scope;         ///< "rank"
    std::string versions = {}; ///< of the system, that print it; empty: not known
    bool operator==(const EngineLine&) const = default;
};

/// Meaning of an exit code other than 0 of its processes.
struct EngineExit
{
    int code = 1;
    Cause cause = Cause::crashed;
    std::string sentence; ///< what such a process did, English: "refused its settings"
    bool operator==(const EngineExit&) const = default;
};

/// Extra environment of the ranks (kRankRole) or of the processes of another role, where there are several processes.
struct EngineRole
{
    std::string name;
    std::map<std::string, std::string> environment;
    bool operator==(const EngineRole&) const = default;
};

inline constexpr const char* kRankRole = "rank";
/// Options of each system that runs a user's own script: the file, and its arguments as one text. A word that consists
/// only of "{NAME.arguments}" stands for as many words as that has, split at blanks and filled in as others are.
inline constexpr std::string_view kScriptOption = "script";
inline constexpr std::string_view kArgumentsOption = "arguments";

/// The variable of Engine::environment that holds the module of a system whose version is that of the system:
/// "horovod.torch" has that of horovod. A user's own script does not know which system it stands for, so its records
/// (agent/drivers/ringside_records.py) find it here. Unset where the system's table names none.
inline constexpr const char* kModuleVariable = "RINGSIDE_MODULE";

/// The words of command and environment have names in braces (core/base/placeholders.h): settings of the run, which the
/// runner fills in, and what only a process knows, which its guard does (processPlaceholders()).
struct Engine
{
    std::string title;   ///< "MXNet"
    std::string version; ///< that was found on the site, or that was asked for; may be empty
    EngineMeeting meeting = EngineMeeting::variables;
    std::vector<std::string> command;
    std::vector<std::string> scriptCommand; ///< in its place where the run names a script of the user's
    std::map<std::string, std::string> environment;
    std::string rankName = kRankRole; ///< what it calls the role of the ranks
    std::vector<EngineRole> roles;
    std::vector<EngineExit> exits;
    std::vector<EngineLine> lines;
    std::vector<std::string> optional;            ///< settings that a run may lack: their place in a word is empty then
    std::map<std::string, std::string> standards; ///< of options, for runs that lack them since they have no effect
    int warmupRecords = 1;                        ///< of each rank, which no figure counts
    bool operator==(const Engine&) const = default;
};

struct ProcessPlaceholder
{
    std::string_view name;
    std::string_view description; ///< marked for translation
    bool needsEndpoints = false;  ///< known only once the processes of a run have exchanged their addresses
};
/// Returns the placeholders that a guard fills in.
const std::vector<ProcessPlaceholder>& processPlaceholders();

nlohmann::json toJson(const Engine& engine);
Result<Engine> engineFromJson(const nlohmann::json& json);

} // namespace ringside
