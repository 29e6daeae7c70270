// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/shown.h"

#include "core/report/standing.h"
#include "core/report/timeline.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

#include <algorithm>

namespace ringside {

namespace {

Result<report::FigureData> timelineOf(const store::Database& db, const MeasuredExperiment& measured,
                                      const ShownRequest& request, Shown& shown)
{
    shown.run = report::runForTimeline(shown.comparison, request.run);
    const auto found = std::find_if(measured.runs.begin(), measured.runs.end(),
                                    [&](const store::MeasuredRun& run) { return run.row.id == shown.run; });
    if (found == measured.runs.end())
        return report::FigureData{};                               // nothing was compared, either
    const bool isAsked = !request.run || shown.run == request.run; // else the iteration is of another run
    const auto seq = isAsked ? request.iteration : std::nullopt;
    TRY_ASSIGN(const auto iteration, store::detailedIteration(db, found->row.id, found->row.attempt, seq));
    shown.recorded = iteration.recorded;
    shown.iteration = iteration.seq;
    TRY_ASSIGN(const auto plan, store::planOf(db, found->row));
    return report::timeline(found->row, iteration, plan);
}

/// Of what needs no base case; of times, where rates have different units.
Result<report::Comparison> anyComparison(const MeasuredExperiment& measured, report::CompareRequest request)
{
    request.show = report::Show::throughput;
    if (auto comparison = report::compare(measured.runs, request))
        return comparison;
    request.show = report::Show::phases;
    return report::compare(measured.runs, request);
}

Result<Shown> withTimeline(const store::Database& db, const MeasuredExperiment& measured, const ShownRequest& request)
{
    Shown shown;
    TRY_ASSIGN(shown.comparison, anyComparison(measured, request.compare));
    report::addStandings(shown.comparison, measured.experiment, request.layout);
    shown.table = report::summaryTable(shown.comparison, request.layout, request.style);
    if (auto figure = timelineOf(db, measured, request, shown))
        shown.figure = std::move(*figure);
    else
        shown.refusal = figure.error();
    return shown;
}

} // namespace

Result<MeasuredExperiment> loadMeasured(const store::Database& db, const std::string& experiment)
{
    MeasuredExperiment measured;
    TRY_ASSIGN(const std::string text, store::experimentText(db, experiment));
    TRY_ASSIGN(measured.experiment, spec::parseExperiment(text, experiment));
    TRY_ASSIGN(measured.runs, store::measuredRuns(db, experiment));
    return measured;
}

Result<Shown> computeShown(const store::Database& db, const MeasuredExperiment& measured, ShownRequest request)
{
    if (auto why = report::whyNotCompared(measured.experiment)) {
        Shown nothing;
        nothing.refusal = std::move(why);
        return nothing;
    }
    if (request.compare.show == report::Show::timeline)
        return withTimeline(db, measured, request);
    Shown shown;
    if (auto comparison = report::compare(measured.runs, request.compare)) {
        shown.comparison = std::move(*comparison);
        report::addStandings(shown.comparison, measured.experiment, request.layout);
        shown.figure = report::figure(shown.comparison, request.layout);
        shown.table = report::summaryTable(shown.comparison, request.layout, request.style);
        return shown;
    } else {
        shown.refusal = comparison.error();
    }
    TRY_ASSIGN(shown.comparison, anyComparison(measured, std::move(request.compare)));
    return shown;
}

} // namespace ringside
