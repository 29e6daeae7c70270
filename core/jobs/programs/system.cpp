// SPDX-License-Identifier: MIT
#include "core/jobs/programs/system.h"

#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace ringside::jobs {

namespace {

class System final : public Program
{
public:
    System(std::string_view name, const Engine& engine)
        : m_name(name)
        , m_engine(engine)
    {
    }

    std::string_view name() const override { return m_name; }
    bool trains() const override { return true; }
    std::vector<Role> roles(const AggregationPlan&) const override { return {}; }
    Meeting meeting() const override
    {
        return m_engine.meeting == EngineMeeting::mpi ? Meeting::mpi : Meeting::variables;
    }

    Command words(const Processes& processes) const override
    {
        const CampaignPlan& plan = processes.plan;
        const fs::path file = layout::planFile(layout::campaignFolder(processes.paths.root, plan.campaign));
        return {"--plan", file.string(), "--run", processes.run.id.str()};
    }

    ExitMeaning meaningOf(int code) const override
    {
        const auto found = std::ranges::find(m_engine.exits, code, &EngineExit::code);
        if (found != m_engine.exits.end())
            return {found->cause, found->sentence};
        return code == exitcode::kSettings // of its guard
                   ? ExitMeaning{Cause::settings, Words::noop("is not training what its run asks for")}
                   : ExitMeaning{};
    }

private:
    std::string_view m_name;
    const Engine& m_engine;
};

const std::pair<const std::string, Engine>* engineOf(const CampaignPlan& plan, const Settings& settings)
{
    const auto found = plan.engines.find(textOf(settings, "engine").value_or(""));
    return found == plan.engines.end() ? nullptr : &*found;
}

/// Returns the user's own script; nullopt: the system's driver trains.
std::optional<std::string> scriptOf(const std::pair<const std::string, Engine>& engine, const RunSpec& run)
{
    return textOf(run.settings, fmt::format("{}.{}", engine.first, kScriptOption));
}

const Command& commandOf(const std::pair<const std::string, Engine>& engine, const RunSpec& run)
{
    return scriptOf(engine, run) ? engine.second.scriptCommand : engine.second.command;
}

/// Returns the arguments of a user's own script; empty without one.
std::string argumentsOf(const std::pair<const std::string, Engine>& engine, const RunSpec& run)
{
    const std::string option = fmt::format("{}.{}", engine.first, kArgumentsOption);
    return scriptOf(engine, run) ? textOf(run.settings, option).value_or("") : std::string();
}

/// A role and one of its processes.
struct Part
{
    std::string role = kRankRole;
    int index = 0, count = 1;
};

Part partOf(const RunSpec& run, int process)
{
    const RolePlace place = placeIn(run.roles, run.rankProcesses(), process);
    return place.role ? Part{place.role->name, place.index, place.role->count}
                      : Part{kRankRole, process, run.rankProcesses()};
}

/// Returns the system's name for the role.
const std::string& nameIn(const Engine& engine, const Part& part)
{
    return part.role == kRankRole ? engine.rankName : part.role;
}

std::string textOf(const Endpoint& endpoint)
{
    return fmt::format("{}:{}", endpoint.address, endpoint.port);
}

/// All processes by role: {"rank":["a:1","b:2"],"server":["a:3"]}.
nlohmann::json clusterOf(const Engine& engine, const RunSpec& run, const std::vector<Endpoint>& endpoints)
{
    nlohmann::json roles = nlohmann::json::object();
    for (std::size_t process = 0; process < endpoints.size(); ++process)
        roles[nameIn(engine, partOf(run, static_cast<int>(process)))].push_back(textOf(endpoints[process]));
    return roles;
}

/// The nodes of the ranks, and how many each has, as launchers read it: "a:4,b:4".
std::string hostsOf(const RunSpec& run, const std::vector<Endpoint>& endpoints)
{
    std::map<int, std::pair<std::string, int>> nodes;
    for (int process = 0; process < run.rankProcesses(); ++process) {
        auto& [address, ranks] = nodes[run.nodeOf(process)];
        if (address.empty())
            address = endpoints.at(static_cast<std::size_t>(process)).address;
        ranks += run.ranksOf(process);
    }
    std::vector<std::string> hosts;
    for (const auto& [node, host] : nodes)
        hosts.push_back(fmt::format("{}:{}", host.first, host.second));
    return fmt::format("{}", fmt::join(hosts, ","));
}

/// The values of names in braces for one process.
class Values
{
public:
    Values(const CampaignPlan& plan, const Engine& engine, const RunSpec& run, const ProcessPlace& place)
        : m_engine(engine)
        , m_run(run)
        , m_part(partOf(run, place.process))
    {
        const auto number = [](auto value) { return std::to_string(value); };
        const int nodes = run.nodes(), perNode = run.ranksPerNode();
        const int firstRank = place.process * run.ranksPerProcess;
        m_values = {{"rank", number(firstRank)},
                    {"ranks", number(run.ranks())},
                    {"local_rank", number(m_part.role == kRankRole ? firstRank % perNode : place.localRank)},
                    {"own_ranks", number(run.ranksOf(place.process))},
                    {"ranks_per_node", number(perNode)},
                    {"node", number(run.nodeOf(place.process))},
                    {"nodes", number(nodes)},
                    {"role", nameIn(engine, m_part)},
                    {"role_index", number(m_part.index)},
                    {"role_count", number(m_part.count)},
                    {"attempt", place.attempt.string()},
                    {"drivers", place.drivers.string()},
                    {"iterations", number(run.iterations)},
                    {"warmup", number(run.warmup)},
                    {"seed", number(run.seed)},
                    {"data_folder", plan.dataFolder}};
        if (place.endpoints.empty())
            return;
        const Endpoint& own = place.endpoints.at(static_cast<std::size_t>(place.process));
        const nlohmann::json cluster = clusterOf(engine, run, place.endpoints);
        m_values.insert({{"address", own.address},
                         {"port", number(own.port)},
                         {"first_address", place.endpoints.front().address},
                         {"first_port", number(place.endpoints.front().port)},
                         {"endpoints", cluster[nameIn(engine, m_part)].dump()},
                         {"cluster", cluster.dump()},
                         {"hosts", hostsOf(run, place.endpoints)}});
    }

    const std::string& role() const { return m_part.role; }

    std::optional<std::string> operator()(std::string_view name) const
    {
        if (const auto found = m_values.find(name); found != m_values.end())
            return found->second;
        if (const Value* value = valueOf(m_run.settings, name))
            return toText(*value);
        if (const auto standard = m_engine.standards.find(std::string(name)); standard != m_engine.standards.end())
            return standard->second;
        return contains(m_engine.optional, name) ? std::optional(std::string()) : std::nullopt;
    }

private:
    const Engine& m_engine;
    const RunSpec& m_run;
    Part m_part;
    std::map<std::string, std::string, std::less<>> m_values;
};

/// Splits a word that consists only of the placeholder of arguments into these; any other word is returned as it is. A
/// value with blanks in it is one word, so they are filled in afterwards.
Command wordsIn(const std::string& word, const Values& values)
{
    const auto name = onlyPlaceholder(word);
    const bool isArguments = name && name->ends_with(fmt::format(".{}", kArgumentsOption));
    return isArguments ? wordsOf(values(*name).value_or("")) : Command{word};
}

/// A start in the folder of the script, to which its own paths are relative. A launch prefix may lead into a container,
/// which alone has that folder, so that it is entered behind the prefix.
ProcessStart startBeside(const std::string& script, const Command& launchPrefix)
{
    const fs::path folder = fs::path(script).parent_path();
    if (launchPrefix.empty())
        return {{}, {}, folder};
    ProcessStart start{launchPrefix, {}, {}};
    start.command.insert(start.command.end(),
                         {"/bin/sh", "-c", "cd -- \"$0\" || exit 127; exec \"$@\"", folder.string()});
    return start;
}

} // namespace

std::shared_ptr<const Program> systemOf(const CampaignPlan& plan, const Settings& settings)
{
    const auto* engine = engineOf(plan, settings);
    return engine ? std::make_shared<System>(engine->first, engine->second) : nullptr;
}

bool meetsByAddress(const CampaignPlan& plan, const RunSpec& run)
{
    const auto* engine = engineOf(plan, run.settings);
    const auto asks = [](const std::string& text) {
        const auto names = placeholdersOf(text);
        return names && std::ranges::any_of(processPlaceholders(), [&](const ProcessPlaceholder& placeholder) {
                   return placeholder.needsEndpoints && contains(*names, placeholder.name);
               });
    };
    const auto anyAsks = [&](const auto& environment) {
        return std::ranges::any_of(environment, [&](const auto& entry) { return asks(entry.second); });
    };
    const bool rolesAsk =
        run.processes() > 1 && engine &&
        std::ranges::any_of(engine->second.roles, [&](const EngineRole& role) { return anyAsks(role.environment); });
    return engine && (rolesAsk || std::ranges::any_of(commandOf(*engine, run), asks) ||
                      asks(argumentsOf(*engine, run)) || anyAsks(engine->second.environment));
}

Result<ProcessStart> processStart(const CampaignPlan& plan, const RunSpec& run, const ProcessPlace& place)
{
    const auto* engine = engineOf(plan, run.settings);
    if (!engine)
        return fail(ErrorCode::usage, Words::tr("{} is no engine of this plan.",
                                                ringside::textOf(run.settings, "engine").value_or("ringside")));
    const Values values(plan, engine->second, run, place);
    const auto script = scriptOf(*engine, run);
    ProcessStart start = script ? startBeside(*script, plan.launchPrefix) : ProcessStart{plan.launchPrefix, {}, {}};
    start.environment["PYTHONUNBUFFERED"] = "1"; // a line is read when it is printed
    // Nothing that a script prints ends it, in the C locale of a batch job either, whose Python 3.6 prints ASCII alone.
    start.environment["PYTHONIOENCODING"] = "utf-8:backslashreplace";
    for (const std::string& word : commandOf(*engine, run))
        for (const std::string& each : wordsIn(word, values)) {
            TRY_ASSIGN(start.command.emplace_back(), filled(each, values));
        }
    const auto add = [&](const std::map<std::string, std::string>& environment) -> Result<void> {
        for (const auto& [name, text] : environment) {
            TRY_ASSIGN(start.environment[name], filled(text, values));
        }
        return {};
    };
    TRY(add(engine->second.environment));
    for (const EngineRole& role : engine->second.roles)
        if (run.processes() > 1 && role.name == values.role())
            TRY(add(role.environment));
    return start;
}

} // namespace ringside::jobs
