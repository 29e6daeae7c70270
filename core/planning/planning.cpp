// SPDX-License-Identifier: MIT
#include "core/planning/planning.h"

#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/jobs/attempts/localscript.h"
#include "core/jobs/launchers/table.h"
#include "core/jobs/programs/table.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/layout.h"
#include "core/spec/systems.h"
#include "core/spec/toml.h"

#include <algorithm>

namespace ringside {

namespace {

campaign::KnownRun knownRun(const store::RunRow& row)
{
    return {row.id, row.configurationKey, row.repeat, row.state, row.cause, row.inCampaign};
}

/// Settings of each configuration, for all its runs.
std::vector<SharedSettings> settingsOf(const spec::Matrix& matrix)
{
    return mapped<SharedSettings>(matrix.configurations, &spec::Configuration::settings);
}

std::vector<campaign::WantedRun> wantedRuns(const spec::Matrix& matrix)
{
    return mapped(matrix.runs, [&](const spec::PlannedRun& run) {
        return campaign::WantedRun{matrix.configurations[run.configuration].key, run.repeat};
    });
}

std::string launcherOn(const ReadySite& site)
{
    if (site.site.launcher != kAutomaticLauncher)
        return site.site.launcher;
    return std::string(site.scheduler ? site.scheduler->launcher() : jobs::kLauncherOfMpi);
}

int coresPerRank(const RunSpec& run)
{
    return static_cast<int>(integerOf(run.settings, "cores_per_rank").value_or(1));
}

bool usesGpus(const RunSpec& run)
{
    return textOf(run.settings, "device") == "cuda";
}

/// The site's wishes, with room for the largest of the runs.
jobs::JobSettings jobFor(const CampaignPlan& plan, jobs::JobSettings job)
{
    int mostCores = 0; // on a node: runs of few ranks may have many each
    for (const RunSpec& run : plan.runs) {
        job.nodes = std::max(job.nodes, run.allNodes());
        job.ranksPerNode = std::max(job.ranksPerNode, run.processesPerNode());
        mostCores = std::max(mostCores, run.processesPerNode() * coresPerRank(run) * run.ranksPerProcess);
        if (usesGpus(run))
            job.gpusPerNode = std::max(job.gpusPerNode, run.ranksPerNode());
    }
    job.coresPerRank = std::max(job.coresPerRank, (mostCores + job.ranksPerNode - 1) / std::max(job.ranksPerNode, 1));
    return job;
}

RunSpec specOf(const spec::Configuration& configuration, SharedSettings settings, int repeat, std::uint64_t seed)
{
    RunSpec spec;
    spec.id = RunId::random();
    spec.configurationKey = configuration.key;
    spec.repeat = repeat;
    spec.settings = std::move(settings);
    spec.plan = configuration.plan;
    spec.roles = spec::systemOf(configuration.settings)
                     ? spec::rolesOf(configuration.settings)
                     : jobs::programOf(configuration.settings).roles(configuration.plan);
    if (const spec::System* system = spec::systemOf(configuration.settings);
        system && system->process == spec::ProcessOf::node)
        spec.ranksPerProcess = spec.ranksPerNode();
    spec.iterations = configuration.iterations;
    spec.warmup = configuration.warmup;
    spec.seed = campaign::seedOf(seed, repeat);
    return spec;
}

/// With what the site says: where the system is installed there, by which interpreter it runs.
Engine engineOn(const spec::System& system, const ReadySite& site)
{
    Engine engine = system.engine;
    const auto found = site.engines.find(system.name);
    if (found == site.engines.end())
        return engine;
    engine.version = found->second.version;
    for (const auto& [name, value] : found->second.environment)
        engine.environment.try_emplace(name, escaped(value));
    const auto fill = [&](std::string& text) {
        text = partlyFilled(text, [&](std::string_view name) -> std::optional<std::string> {
            if (name == "python")
                return found->second.python;
            if (name == "environment")
                return found->second.folder;
            return std::nullopt;
        });
    };
    const auto fillAll = [&](auto& environment) {
        for (auto& [name, text] : environment)
            fill(text);
    };
    std::ranges::for_each(engine.command, fill);
    std::ranges::for_each(engine.scriptCommand, fill);
    fillAll(engine.environment);
    for (EngineRole& role : engine.roles)
        fillAll(role.environment);
    return engine;
}

} // namespace

Result<store::ExperimentEdit> editOf(const spec::Experiment& experiment, const std::set<std::string>& sites)
{
    store::ExperimentEdit edit;
    edit.name = experiment.name;
    edit.question = experiment.question;
    edit.site = experiment.site;
    edit.repeats = experiment.runs.repeats;
    edit.toml = spec::writeExperiment(experiment);
    for (const std::string& site : sites) {
        TRY_ASSIGN(const spec::Matrix matrix, spec::expand(experiment, site));
        for (const spec::Configuration& cell : matrix.configurations)
            edit.cells.push_back({cell.key, cell.settings, cell.plan});
    }
    return edit;
}

std::vector<RunSpec> missingSpecs(const spec::Experiment& experiment, const spec::Matrix& matrix,
                                  const std::vector<store::RunRow>& stored, bool retryFailed,
                                  const std::vector<RunId>& only)
{
    std::vector<campaign::KnownRun> known;
    std::ranges::transform(stored, std::back_inserter(known), knownRun);
    const std::vector<SharedSettings> settings = settingsOf(matrix);
    std::vector<RunSpec> specs;
    for (const campaign::MissingRun& missing : campaign::missingRuns(wantedRuns(matrix), known, retryFailed)) {
        if (!only.empty() && (!missing.known || !contains(only, *missing.known)))
            continue;
        const spec::PlannedRun& run = matrix.runs[missing.wanted];
        specs.push_back(specOf(matrix.configurations[run.configuration], settings[run.configuration], run.repeat,
                               experiment.runs.seed));
        specs.back().id = missing.known.value_or(specs.back().id);
    }
    return specs;
}

RunSpec trialSpec(const spec::Experiment& experiment, const spec::Matrix& matrix)
{
    spec::Configuration smallest = spec::smallestConfiguration(matrix);
    smallest.iterations = kTrialIterations;
    smallest.warmup = std::min(smallest.warmup, kTrialIterations / 4);
    smallest.key = spec::configurationKey(smallest.settings, smallest.plan, smallest.iterations, smallest.warmup);
    RunSpec spec = specOf(smallest, smallest.settings, 1, experiment.runs.seed);
    spec.kind = RunKind::trial;
    return spec;
}

CampaignPlan planOf(const spec::Experiment& experiment, const StoreId& store, const ReadySite& site,
                    std::vector<RunSpec> runs)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = store;
    plan.experiment = experiment.name;
    plan.site = site.site.name;
    plan.launcher = launcherOn(site);
    plan.worker = site.worker;
    plan.dataFolder = layout::dataFolder(site.root).string();
    plan.hosts = site.site.hosts;
    plan.launchPrefix = site.site.launchPrefix;
    plan.hungAfterSeconds = experiment.runs.hungAfterSeconds;
    for (const RunSpec& run : runs)
        if (const spec::System* system = spec::systemOf(run.settings))
            plan.engines.try_emplace(system->name, engineOn(*system, site));
    plan.runs = std::move(runs);
    return plan;
}

Result<store::Submission> submissionOf(const CampaignPlan& plan, const ReadySite& site, bool byHand)
{
    if (!site.scheduler && byHand)
        return fail(ErrorCode::usage, Words::tr("{} has no scheduler to which a script could be submitted.", plan.site),
                    Words::tr("“ringside-cli run” starts the runs there."));
    if (!site.scheduler)
        return store::Submission{};
    TRY_ASSIGN(std::string script, site.scheduler->script(plan, {site.root, site.agent}, jobFor(plan, site.site.job),
                                                          {site.site.modules, {}, {}}));
    return store::Submission{jobs::Submitter{site.scheduler, byHand}.word(), std::move(script)};
}

double mostNodeSeconds(const CampaignPlan& plan, const ReadySite& site)
{
    if (!site.scheduler)
        return 0;
    const jobs::JobSettings job = jobFor(plan, site.site.job);
    return static_cast<double>(job.nodes) * job.timeLimitSeconds;
}

Result<LaunchPreview> previewOf(CampaignPlan plan, const ReadySite& site, bool byHand)
{
    int number = 0;
    for (RunSpec& run : plan.runs)
        run.number = std::max(run.number, ++number);
    TRY_ASSIGN(store::Submission submission, submissionOf(plan, site, byHand));
    LaunchPreview preview{.campaign = plan.campaign,
                          .site = plan.site,
                          .runs = plan.runs.size(),
                          .mostNodeSeconds = mostNodeSeconds(plan, site),
                          .scheduler = submission.scheduler,
                          .script = submission.script};
    if (preview.scheduler.empty()) {
        TRY_ASSIGN(preview.script, jobs::localScript(plan, {site.root, site.agent}, site.mpirunVersion));
    } else
        preview.scriptFile = layout::scriptFile(layout::campaignFolder(site.root, plan.campaign)).string();
    return preview;
}

} // namespace ringside
