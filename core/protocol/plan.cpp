// SPDX-License-Identifier: MIT
#include "core/protocol/plan.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"
#include "core/protocol/planlimits.h"
#include "core/protocol/plausible.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

namespace ringside {

namespace {

constexpr const char* kFile = "plan.json";
constexpr std::size_t kMaxRuns = 100'000;
constexpr std::size_t kMaxName = 200;
constexpr int kMaxCount = 1'000'000'000; // repeats, numbers
constexpr int kMaxAttempts = 1'000'000;
constexpr int kMaxRanks = 1'000'000;
constexpr std::size_t kMaxEngines = 100;
constexpr std::size_t kMaxWords = 10'000; // hosts, or words of a launch prefix

/// Texts that the runs of a configuration have in common, written once for all of them.
class CommonTexts
{
public:
    struct Text
    {
        const RunSpec* run = nullptr;
        std::string settings, plan, roles; ///< roles: the whole member, empty where there are none
    };

    /// Texts of the run's settings, plan and roles. Valid until the next call.
    const Text& of(const RunSpec& run)
    {
        Text& text = m_texts[run.configurationKey];
        if (!text.run || text.run->settings != run.settings || text.run->plan != run.plan ||
            text.run->roles != run.roles)
            text = {&run, dumpJson(toJson(run.settings)), planOf(run), rolesOf(run)};
        return text;
    }

private:
    /// Servers are written once: as a role.
    static std::string planOf(const RunSpec& run)
    {
        nlohmann::json json = toJson(run.plan);
        if (!run.roles.empty()) {
            json.erase("servers");
            json.erase("server_placement");
        }
        return dumpJson(json);
    }
    static std::string rolesOf(const RunSpec& run)
    {
        nlohmann::json json = nlohmann::json::array();
        std::ranges::transform(run.roles, std::back_inserter(json), [](const Role& role) { return toJson(role); });
        return json.empty() ? "" : fmt::format(R"("roles":{},)", dumpJson(json));
    }

    std::unordered_map<std::string_view, Text> m_texts;
};

/// Members in the order of their names, as everywhere in our JSON.
void addRun(std::string& text, const RunSpec& run, CommonTexts& common)
{
    const auto& [first, settings, plan, roles] = common.of(run);
    text += '{';
    if (run.attempts > 0)
        text += fmt::format(R"("attempts":{},)", run.attempts);
    if (run.calibratedCost)
        text += fmt::format(R"("calibrated_cost":{},)", dumpJson(toJson(*run.calibratedCost)));
    fmt::format_to(std::back_inserter(text),
                   R"("configuration":{},"id":"{}","iterations":{},"kind":"{}","number":{},"plan":{},)",
                   dumpJson(run.configurationKey), run.id.str(), run.iterations, nameOf(run.kind), run.number, plan);
    if (run.ranksPerProcess > 1)
        text += fmt::format(R"("ranks_per_process":{},)", run.ranksPerProcess);
    fmt::format_to(std::back_inserter(text), R"("repeat":{},{}"seed":{},"settings":{},"warmup":{}}})", run.repeat,
                   roles, run.seed, settings, run.warmup);
}

/// To one text, which has megabytes: it is not copied.
void addRuns(std::string& text, const std::vector<RunSpec>& runs)
{
    CommonTexts common;
    for (const RunSpec& run : runs) {
        addRun(text, run, common);
        text += ',';
    }
    if (!runs.empty())
        text.pop_back();
}

int formatFor(const CampaignPlan& plan)
{
    if (std::ranges::any_of(plan.runs, [](const RunSpec& run) { return run.ranksPerProcess > 1; }))
        return 5;
    if (!plan.engines.empty())
        return 4;
    if (std::ranges::any_of(plan.runs, [](const RunSpec& run) { return !run.roles.empty(); }))
        return 3;
    return std::ranges::any_of(plan.runs, [](const RunSpec& run) { return needsPlanFormat2(run.plan); }) ? 2 : 1;
}

/// `key` may be absent.
void checkCount(JsonFields& fields, const Settings& settings, const char* key)
{
    const auto it = settings.find(key);
    if (it == settings.end())
        return;
    const auto* count = std::get_if<std::int64_t>(&it->second);
    if (!count || *count < 1 || *count > kMaxRanks)
        fields.refuse(fmt::format("settings: {}", key), Words::tr("expected a whole number from 1 to {}", kMaxRanks));
}

/// Before format 3 a plan's servers stood in the plan itself.
void readRoles(JsonFields& fields, RunSpec& run)
{
    if (!fields.has("roles")) {
        run.roles = rolesOf(run.plan);
        return;
    }
    fields.each("roles", kMaxRoles, [&](JsonFields& entry) { run.roles.push_back(readRole(entry)); });
    if (rolesOf(run.plan).empty()) // a system's own servers are none of the plan's
        return;
    const auto servers = std::ranges::find(run.roles, kServerRole, &Role::name);
    if (servers != run.roles.end()) {
        run.plan.servers = servers->count;
        run.plan.serverPlacement = servers->placement;
    } else
        fields.refuse("roles", Words::tr("“{}” is missing, which the plan needs", kServerRole));
}

void readRun(JsonFields& fields, RunSpec& run)
{
    Settings settings;
    fields.id("id", run.id);
    fields.integer("number", run.number, 0, kMaxCount);
    fields.named("kind", run.kind);
    fields.text("configuration", run.configurationKey, kMaxName);
    fields.integer("repeat", run.repeat, 1, kMaxCount);
    fields.part("settings", settings, settingsFromJson);
    run.settings = std::move(settings);
    fields.part("plan", run.plan, aggregationPlanFromJson);
    readRoles(fields, run);
    if (fields.has("ranks_per_process"))
        fields.integer("ranks_per_process", run.ranksPerProcess, 1, kMaxRanks);
    fields.integer("iterations", run.iterations, 1, static_cast<int>(kMaxIterations));
    fields.integer("warmup", run.warmup, 0, run.iterations - 1);
    fields.integer<std::uint64_t>("seed", run.seed, 0, UINT64_MAX);
    if (fields.has("attempts"))
        fields.integer("attempts", run.attempts, 0, kMaxAttempts);
    if (fields.has("calibrated_cost"))
        fields.part("calibrated_cost", run.calibratedCost.emplace(), calibratedCostFromJson);
    checkCount(fields, run.settings, "ranks");
    checkCount(fields, run.settings, "nodes");
}

void readRuns(JsonFields& fields, std::vector<RunSpec>& runs)
{
    std::set<RunId> seen;
    fields.each("runs", kMaxRuns, [&](JsonFields& entry) {
        RunSpec run;
        readRun(entry, run);
        if (!run.id.empty() && !seen.insert(run.id).second)
            entry.refuse("id", Words::tr("the plan has the same run twice"));
        runs.push_back(std::move(run));
    });
}

/// Paths of a site, used as they are: absolute, or empty if the plan needs none.
void readPath(JsonFields& fields, const char* key, std::string& path)
{
    fields.text(key, path);
    if (!path.empty() && (path.front() != '/' || path.find('\0') != std::string::npos))
        fields.refuse(key, Words::tr("expected an absolute path"));
}

/// A word becomes an argument of a program: anything but NUL. Host names come after an option's name and are separated
/// by commas.
bool isWord(std::string_view text)
{
    return !text.empty() && text.find('\0') == std::string_view::npos;
}
bool isHost(std::string_view text)
{
    constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return !text.empty() && text.front() != '-' && text.find_first_not_of(kCharacters) == std::string_view::npos;
}

/// Absent: none.
void readWords(JsonFields& fields, const char* key, std::vector<std::string>& words, bool (*accepts)(std::string_view))
{
    if (!fields.has(key))
        return;
    fields.texts(key, kMaxWords, words);
    for (const std::string& word : words)
        if (!accepts(word))
            fields.refuse(key, Words::tr("“{}” is not allowed here", plainText(word.substr(0, 40))));
}

Result<std::map<std::string, Engine>> enginesFromJson(const nlohmann::json& json)
{
    if (!json.is_object() || json.size() > kMaxEngines)
        return fail(ErrorCode::damaged, Words::tr("expected an object of at most {} objects", kMaxEngines));
    std::map<std::string, Engine> engines;
    for (const auto& [name, member] : json.items()) {
        TRY_ASSIGN(engines[name], engineFromJson(member));
    }
    return engines;
}

} // namespace

int RunSpec::ranks() const
{
    return static_cast<int>(integerOf(settings, "ranks").value_or(1));
}

int RunSpec::nodes() const
{
    return std::min(static_cast<int>(integerOf(settings, "nodes").value_or(1)), ranks());
}

int RunSpec::ranksPerNode() const
{
    return (ranks() + nodes() - 1) / nodes();
}

int RunSpec::rankProcesses() const
{
    return (ranks() + ranksPerProcess - 1) / ranksPerProcess;
}

int RunSpec::ranksOf(int process) const
{
    return std::clamp(ranks() - process * ranksPerProcess, 0, ranksPerProcess);
}

int RunSpec::nodeOf(int process) const
{
    return std::min(process * ranksPerProcess, ranks() - 1) / ranksPerNode();
}

int RunSpec::rankProcessesPerNode() const
{
    return (ranksPerNode() + ranksPerProcess - 1) / ranksPerProcess;
}

bool RunSpec::leads(int process) const
{
    return ringside::leads(roles, rankProcesses(), process);
}

int RunSpec::processes() const
{
    return rankProcesses() + processesOf(roles);
}

int RunSpec::allNodes() const
{
    return nodes() + ownNodesOf(roles, ranksPerNode());
}

int RunSpec::processesPerNode() const
{
    return rankProcessesPerNode() + mostBesideRanks(roles, nodes());
}

std::string planToJson(const CampaignPlan& plan)
{
    nlohmann::json before = {{"format", formatFor(plan)},
                             {"campaign", plan.campaign.str()},
                             {"data_folder", plan.dataFolder},
                             {"experiment", plan.experiment},
                             {"launcher", plan.launcher}};
    for (const auto& [name, engine] : plan.engines)
        before["engines"][name] = toJson(engine);
    if (!plan.hosts.empty())
        before["hosts"] = plan.hosts;
    if (plan.hungAfterSeconds != kHungAfterSeconds)
        before["hung_after_s"] = plan.hungAfterSeconds;
    if (!plan.launchPrefix.empty())
        before["launch_prefix"] = plan.launchPrefix;
    nlohmann::json after = {{"site", plan.site}, {"store", plan.store.str()}, {"worker", plan.worker}};
    if (plan.timeLimitSeconds)
        after["time_limit_s"] = *plan.timeLimitSeconds;
    std::string text = dumpJson(before); // members in the order of their names: "runs" is between these two
    text.back() = ',';
    text += "\"runs\":[";
    addRuns(text, plan.runs);
    text += "],";
    text += std::string_view(dumpJson(after)).substr(1);
    return text;
}

Result<std::string> planToSend(const CampaignPlan& plan)
{
    std::string text = planToJson(plan);
    if (text.size() > kMaxPlanBytes)
        return fail(ErrorCode::usage, Words::tr("{} is longer than {} bytes.", kFile, kMaxPlanBytes),
                    Words::tr("Change it in the experiment or in the site."));
    return text;
}

Result<CampaignPlan> planFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMaxPlanBytes, kFile));
    CampaignPlan plan;
    JsonFields fields(json, kFile);
    fields.format(kPlanFormat);
    fields.id("campaign", plan.campaign);
    fields.id("store", plan.store);
    fields.text("experiment", plan.experiment, kMaxName);
    fields.text("site", plan.site, kMaxName);
    fields.text("launcher", plan.launcher, kMaxName);
    if (plan.launcher == "fork") // of the first plans
        plan.launcher = CampaignPlan{}.launcher;
    readPath(fields, "worker", plan.worker);
    readPath(fields, "data_folder", plan.dataFolder);
    if (fields.has("time_limit_s"))
        fields.integer("time_limit_s", plan.timeLimitSeconds.emplace(0), 1, kMaxCount);
    if (fields.has("hung_after_s"))
        fields.integer("hung_after_s", plan.hungAfterSeconds, kLeastHungAfterSeconds, kMostHungAfterSeconds);
    readRuns(fields, plan.runs);
    if (fields.has("engines"))
        fields.part("engines", plan.engines, enginesFromJson);
    readWords(fields, "hosts", plan.hosts, isHost);
    readWords(fields, "launch_prefix", plan.launchPrefix, isWord);
    TRY(fields.result());
    return plan;
}

} // namespace ringside
