// SPDX-License-Identifier: MIT
#include "core/protocol/engine.h"

#include "core/base/words.h"
#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/planlimits.h"

namespace ringside {

namespace {

constexpr std::size_t kMaxWords = 1'000;

} // namespace

void membersOf(auto& json, Either<EngineLine> auto& line)
{
    json.text("pattern", line.pattern);
    json.text("meaning", line.meaning, kMaxEngineName);
    json.text("scope", line.scope, kMaxEngineName);
    if (json.has("versions", !line.versions.empty()))
        json.text("versions", line.versions, kMaxEngineName);
}

void membersOf(auto& json, Either<EngineExit> auto& exit)
{
    json.integer("code", exit.code, 1, 255);
    json.named("cause", exit.cause);
    json.text("sentence", exit.sentence);
}

void membersOf(auto& json, Either<EngineRole> auto& role)
{
    json.text("name", role.name, kMaxEngineName);
    json.textMap("environment", role.environment);
}

void membersOf(auto& json, Either<Engine> auto& engine)
{
    json.text("title", engine.title, kMaxEngineName);
    json.text("version", engine.version, kMaxEngineName);
    json.named("meeting", engine.meeting);
    json.texts("command", kMaxWords, engine.command);
    json.texts("script_command", kMaxWords, engine.scriptCommand);
    json.textMap("environment", engine.environment);
    if (json.has("rank_name", engine.rankName != kRankRole))
        json.text("rank_name", engine.rankName, kMaxEngineName);
    json.list("roles", engine.roles, kMaxEngineRows);
    json.list("exits", engine.exits, kMaxEngineRows);
    json.list("lines", engine.lines, kMaxEngineRows);
    json.texts("optional", kMaxWords, engine.optional);
    if (json.has("standards", !engine.standards.empty()))
        json.textMap("standards", engine.standards);
    json.integer("warmup_records", engine.warmupRecords, 0, kMaxWarmupRecords);
}

const std::vector<ProcessPlaceholder>& processPlaceholders()
{
    static const std::vector<ProcessPlaceholder> kAll{
        {"rank", Words::noop("the rank, from 0")},
        {"ranks", Words::noop("how many ranks there are")},
        {"local_rank", Words::noop("the rank among those of its node, from 0")},
        {"own_ranks", Words::noop("how many ranks the process is: 1, or all of its node")},
        {"ranks_per_node", Words::noop("how many ranks its node has")},
        {"node", Words::noop("the node, from 0")},
        {"nodes", Words::noop("how many nodes have ranks")},
        {"role", Words::noop("what the system calls ranks, or the name of another role")},
        {"role_index", Words::noop("the process among those of its role, from 0")},
        {"role_count", Words::noop("how many processes its role has")},
        {"address", Words::noop("the address by which other processes reach this one"), true},
        {"port", Words::noop("a port of this process that nothing uses"), true},
        {"first_address", Words::noop("the address of rank 0"), true},
        {"first_port", Words::noop("a port of rank 0 that nothing uses"), true},
        {"endpoints", Words::noop("those of its role as a JSON list: [\"address:port\",…]"), true},
        {"cluster", Words::noop("the endpoints of all roles as JSON: {\"rank\":[\"address:port\",…],…}"), true},
        {"hosts", Words::noop("the addresses of the nodes and their numbers of ranks: address:2,address:2"), true},
        {"attempt", Words::noop("the folder of the attempt")},
    };
    return kAll;
}

nlohmann::json toJson(const Engine& engine)
{
    return JsonMembers::of(engine);
}

Result<Engine> engineFromJson(const nlohmann::json& json)
{
    return fromMembers<Engine>(json, "engine");
}

} // namespace ringside
