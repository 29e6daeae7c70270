// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/evaluation.h"

#include "core/base/words.h"
#include "core/planning/planning.h"
#include "core/spec/toml.h"
#include "core/stats/quantile.h"
#include "core/store/queries.h"

namespace ringside {

namespace {

void addCosts(Evaluation& evaluation, const store::Database& db)
{
    for (const spec::Configuration& configuration : evaluation.matrix->configurations)
        if (const auto seconds = store::typicalSeconds(db, configuration.key); seconds && *seconds)
            evaluation.secondsPerRun[configuration.key] = **seconds;
    const auto measured = store::measuredRuns(db, evaluation.experiment.name);
    if (!measured)
        return; // an experiment that was never saved has no runs
    std::map<std::string, std::vector<double>> rates;
    for (const store::MeasuredRun& run : *measured)
        if (run.row.itemsPerSecond)
            rates[run.row.configurationKey].push_back(*run.row.itemsPerSecond);
    for (const auto& [key, values] : rates)
        evaluation.itemsPerSecond[key] = stats::median(values);
}

/// The unfinished runs of an experiment that the store may not know.
std::vector<RunSpec> missingRuns(const Evaluation& evaluation, const store::Database* db)
{
    std::vector<store::RunRow> stored;
    store::RunFilter filter;
    filter.experiment = evaluation.experiment.name;
    if (db)
        stored = store::runs(*db, filter).value_or(stored);
    return missingSpecs(evaluation.experiment, *evaluation.matrix, stored, false, {});
}

/// The script that the runner would execute if it were launched now.
std::string scriptOf(const spec::Experiment& experiment, std::vector<RunSpec> runs, const ConductorOptions& programs)
{
    ReadySite here;
    here.site.name = spec::kLocalSite;
    here.root = programs.localRoot.string();
    here.agent = programs.agent.string();
    here.worker = programs.worker.string();
    const auto preview = previewOf(planOf(experiment, {}, here, std::move(runs)), here);
    return preview ? preview->script : preview.error().text();
}

/// Seconds of the missing runs, each times its weight; nullopt while one of their configurations has never been run.
template <class Weight> std::optional<double> sumOfMissing(const Evaluation& evaluation, Weight weight)
{
    double sum = 0;
    for (const RunSpec& run : evaluation.missing) {
        const auto found = evaluation.secondsPerRun.find(run.configurationKey);
        if (found == evaluation.secondsPerRun.end())
            return std::nullopt;
        sum += found->second * weight(run);
    }
    return sum;
}

/// Experiments are identified by their names, so a second one of the same name is a revision of the first.
void checkName(Evaluation& evaluation, const std::string& opened, const store::Database& db)
{
    const std::string& name = evaluation.experiment.name;
    const auto other = name == opened ? std::nullopt : store::experimentByName(db, name).value_or(std::nullopt);
    if (other)
        evaluation.checks.push_back(
            {spec::Severity::warning, "name", name, 0, 0,
             Words::tr("Name: an experiment of this name exists; saving makes a revision of it."),
             Words::tr("Use another name to keep both.")});
}

} // namespace

std::optional<double> Evaluation::secondsMissing() const
{
    return sumOfMissing(*this, [](const RunSpec&) { return 1; });
}

std::optional<double> Evaluation::nodeSecondsMissing() const
{
    return sumOfMissing(*this, [](const RunSpec& run) { return run.allNodes(); });
}

void Evaluation::keepMatrixOf(const Evaluation& earlier)
{
    matrix = earlier.matrix;
    missing = earlier.missing;
    script = earlier.script;
    secondsPerRun = earlier.secondsPerRun;
    itemsPerSecond = earlier.itemsPerSecond;
}

Evaluation evaluate(const Draft& draft, const Surroundings& around, const store::Database* db)
{
    ReadDraft read = readDraft(draft);
    Evaluation evaluation;
    evaluation.experiment = std::move(read.experiment);
    evaluation.notCounted = std::move(read.notCounted);
    evaluation.checks = std::move(read.checks);
    const std::vector<spec::Check> more = spec::validate(evaluation.experiment, around.site);
    evaluation.checks.insert(evaluation.checks.end(), more.begin(), more.end());
    if (db)
        checkName(evaluation, around.opened, *db);
    spec::sortByGravity(evaluation.checks);
    evaluation.toml = spec::writeExperiment(evaluation.experiment);
    if (auto matrix = spec::expand(evaluation.experiment)) {
        evaluation.matrix = std::move(*matrix);
        evaluation.missing = missingRuns(evaluation, db);
        if (!evaluation.missing.empty() && evaluation.experiment.site == spec::kLocalSite)
            evaluation.script = scriptOf(evaluation.experiment, evaluation.missing, around.programs);
        if (db)
            addCosts(evaluation, *db);
    }
    return evaluation;
}

} // namespace ringside
