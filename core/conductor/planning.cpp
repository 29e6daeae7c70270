// SPDX-License-Identifier: MIT
#include "core/conductor/planning.h"

#include "core/spec/toml.h"

#include <algorithm>

namespace ringside {

namespace {

campaign::StoredRun storedRun(const store::RunRow& row)
{
    return {row.id, row.configurationKey, row.repeat, row.state, row.cause, row.inCampaign};
}

std::vector<campaign::WantedRun> wantedRuns(const spec::Matrix& matrix)
{
    std::vector<campaign::WantedRun> wanted;
    for (const spec::PlannedRun& run : matrix.runs)
        wanted.push_back({matrix.configurations[run.configuration].key, run.repeat});
    return wanted;
}

RunSpec specOf(const spec::Configuration& configuration, int repeat, std::uint64_t seed)
{
    RunSpec spec;
    spec.id = RunId::random();
    spec.configurationKey = configuration.key;
    spec.repeat = repeat;
    spec.settings = configuration.settings;
    spec.plan = configuration.plan;
    spec.iterations = configuration.iterations;
    spec.warmup = configuration.warmup;
    spec.seed = campaign::seedOf(seed, repeat);
    return spec;
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
    std::vector<campaign::StoredRun> known;
    std::ranges::transform(stored, std::back_inserter(known), storedRun);
    std::vector<RunSpec> specs;
    for (const campaign::MissingRun& missing : campaign::missingRuns(wantedRuns(matrix), known, retryFailed)) {
        if (!only.empty() && (!missing.known || std::ranges::find(only, *missing.known) == only.end()))
            continue;
        const spec::PlannedRun& run = matrix.runs[missing.wanted];
        specs.push_back(specOf(matrix.configurations[run.configuration], run.repeat, experiment.runs.seed));
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
    RunSpec spec = specOf(smallest, 1, experiment.runs.seed);
    spec.kind = RunKind::trial;
    return spec;
}

CampaignPlan planOf(const spec::Experiment& experiment, const PlanFrame& frame, std::vector<RunSpec> runs)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = frame.store;
    plan.experiment = experiment.name;
    plan.site = frame.site;
    plan.worker = frame.worker;
    plan.dataFolder = frame.dataFolder;
    plan.runs = std::move(runs);
    return plan;
}

} // namespace ringside
