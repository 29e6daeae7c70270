// SPDX-License-Identifier: MIT
#include "core/protocol/plan.h"

#include "core/base/words.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"

#include <set>

namespace ringside {

namespace {

constexpr Launcher kLaunchers[] = {Launcher::fork, Launcher::mpirun, Launcher::srun};
constexpr std::size_t kMaxRuns = 100'000;
constexpr std::size_t kMaxName = 200;
constexpr int kMaxCount = 1'000'000'000; // iterations, repeats, numbers
constexpr int kMaxRanks = 1'000'000;

nlohmann::json runToJson(const RunSpec& run)
{
    return {{"id", run.id.str()},       {"number", run.number},
            {"kind", nameOf(run.kind)}, {"configuration", run.configurationKey},
            {"repeat", run.repeat},     {"settings", toJson(run.settings)},
            {"plan", toJson(run.plan)}, {"iterations", run.iterations},
            {"warmup", run.warmup},     {"seed", run.seed}};
}

void checkRanks(JsonFields& fields, const Settings& settings)
{
    const auto it = settings.find("ranks");
    if (it == settings.end())
        return;
    const auto* ranks = std::get_if<std::int64_t>(&it->second);
    if (!ranks || *ranks < 1 || *ranks > kMaxRanks)
        fields.refuse("settings: ranks", Words::tr("expected a whole number from 1 to {}", kMaxRanks));
}

void readRun(JsonFields& fields, RunSpec& run)
{
    fields.id("id", run.id);
    fields.integer("number", run.number, 0, kMaxCount);
    fields.named<RunKind>("kind", run.kind, runKindFromName);
    fields.text("configuration", run.configurationKey, kMaxName);
    fields.integer("repeat", run.repeat, 1, kMaxCount);
    fields.part("settings", run.settings, settingsFromJson);
    fields.part("plan", run.plan, aggregationPlanFromJson);
    fields.integer("iterations", run.iterations, 1, kMaxCount);
    fields.integer("warmup", run.warmup, 0, run.iterations - 1);
    fields.integer<std::uint64_t>("seed", run.seed, 0, UINT64_MAX);
    checkRanks(fields, run.settings);
}

void readRuns(JsonFields& fields, std::vector<RunSpec>& runs)
{
    std::set<RunId> seen;
    fields.each("runs", kMaxRuns, [&](JsonFields& entry) {
        RunSpec run;
        readRun(entry, run);
        if (!run.id.empty() && !seen.insert(run.id).second)
            entry.refuse("id", Words::tr("the same run stands twice in the plan"));
        runs.push_back(std::move(run));
    });
}

/// Paths of a site, used as they stand: absolute, or empty if the plan needs none.
void readPath(JsonFields& fields, const char* key, std::string& path)
{
    fields.text(key, path);
    if (!path.empty() && (path.front() != '/' || path.find('\0') != std::string::npos))
        fields.refuse(key, Words::tr("expected an absolute path"));
}

} // namespace

int RunSpec::ranks() const
{
    return static_cast<int>(integerOf(settings, "ranks").value_or(1));
}

std::string_view nameOf(Launcher launcher)
{
    switch (launcher) {
    case Launcher::fork:
        return "fork";
    case Launcher::mpirun:
        return "mpirun";
    case Launcher::srun:
        break;
    }
    return "srun";
}

std::string planToJson(const CampaignPlan& plan)
{
    nlohmann::json json = {{"format", kPlanFormat},
                           {"campaign", plan.campaign.str()},
                           {"store", plan.store.str()},
                           {"experiment", plan.experiment},
                           {"site", plan.site},
                           {"launcher", nameOf(plan.launcher)},
                           {"worker", plan.worker},
                           {"data_folder", plan.dataFolder},
                           {"runs", nlohmann::json::array()}};
    if (plan.timeLimitSeconds)
        json["time_limit_s"] = *plan.timeLimitSeconds;
    for (const RunSpec& run : plan.runs)
        json["runs"].push_back(runToJson(run));
    return dumpJson(json);
}

Result<CampaignPlan> planFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMaxPlanBytes, "plan.json"));
    CampaignPlan plan;
    JsonFields fields(json, "plan.json");
    fields.format(kPlanFormat);
    fields.id("campaign", plan.campaign);
    fields.id("store", plan.store);
    fields.text("experiment", plan.experiment, kMaxName);
    fields.text("site", plan.site, kMaxName);
    fields.named<Launcher>("launcher", plan.launcher, [](auto name) { return valueNamed(name, kLaunchers); });
    readPath(fields, "worker", plan.worker);
    readPath(fields, "data_folder", plan.dataFolder);
    if (fields.has("time_limit_s"))
        fields.integer("time_limit_s", plan.timeLimitSeconds.emplace(0), 1, kMaxCount);
    readRuns(fields, plan.runs);
    TRY(fields.result());
    return plan;
}

} // namespace ringside
