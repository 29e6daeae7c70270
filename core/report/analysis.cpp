// SPDX-License-Identifier: MIT
#include "core/report/analysis.h"

#include "core/report/kinds/kinds.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

namespace ringside::report {

Result<MeasuredExperiment> loadMeasured(const store::Database& db, const std::string& experiment)
{
    MeasuredExperiment measured;
    TRY_ASSIGN(const std::string text, store::experimentText(db, experiment));
    TRY_ASSIGN(measured.experiment, spec::parseStoredExperiment(text, experiment));
    TRY_ASSIGN(measured.runs, store::measuredRuns(db, experiment));
    return measured;
}

Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured, const AnalysisRequest& request)
{
    if (auto why = whyNotCompared(measured.experiment)) {
        Analysis nothing;
        nothing.refusal = std::move(why);
        return nothing;
    }
    return request.kind->analyse(db, measured, request);
}

Result<Comparison> anyComparison(const MeasuredExperiment& measured, CompareRequest request)
{
    request.kind = &kThroughput;
    if (auto comparison = compare(measured.runs, request))
        return comparison;
    request.kind = &kPhaseStacks;
    return compare(measured.runs, request);
}

} // namespace ringside::report
