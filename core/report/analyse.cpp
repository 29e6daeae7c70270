// SPDX-License-Identifier: MIT
#include "core/report/analyse.h"

#include "core/report/heldbatch.h"
#include "core/report/kinds/kinds.h"
#include "core/spec/resolve.h"
#include "core/spec/schema.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

namespace ringside::report {
namespace {

/// Factors that their tables have got since runs were made.
std::vector<std::string> laterFactors(const spec::Experiment& experiment)
{
    std::vector<std::string> later;
    for (const spec::Factor& factor : experiment.factors)
        if (const spec::Setting* setting = spec::findSetting(factor.key); setting && !setting->inHashWhenDefault)
            later.push_back(factor.key);
    return later;
}

/// Once for each configuration. What a log does not tell stays untold.
void addLaterLevels(MeasuredExperiment& measured)
{
    const std::vector<std::string> later = laterFactors(measured.experiment);
    if (later.empty())
        return;
    std::map<std::string, SharedSettings> byKey;
    for (store::MeasuredRun& run : measured.runs) {
        if (run.row.kind == RunKind::imported)
            continue;
        const auto [place, isNew] = byKey.try_emplace(run.row.configurationKey);
        if (isNew)
            place->second = spec::withDefaultsOf(later, run.row.settings);
        run.row.settings = place->second;
    }
}

} // namespace

std::set<std::string> MeasuredExperiment::sites() const
{
    std::set<std::string> sites;
    for (const store::MeasuredRun& run : runs)
        sites.insert(run.row.site);
    return sites;
}

Result<MeasuredExperiment> loadMeasured(const store::Database& db, const std::string& experiment)
{
    MeasuredExperiment measured;
    TRY_ASSIGN(const std::string text, store::experimentText(db, experiment));
    TRY_ASSIGN(measured.experiment, spec::parseStoredExperiment(text, experiment));
    TRY_ASSIGN(measured.runs, store::measuredRuns(db, experiment));
    addLaterLevels(measured);
    holdGlobalBatches(measured);
    return measured;
}

Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured, const AnalysisRequest& request)
{
    if (auto why = whyNotCompared(measured.experiment)) {
        Analysis nothing;
        nothing.refusal = std::move(why);
        return nothing;
    }
    auto analysis = request.kind->analyse(db, measured, request);
    if (analysis)
        return analysis;
    Analysis refused;
    refused.refusal = std::move(analysis.error());
    TRY_ASSIGN(refused.comparison, anyComparison(measured, request.compare));
    return refused;
}

} // namespace ringside::report
