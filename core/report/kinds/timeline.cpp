// SPDX-License-Identifier: MIT
// One iteration of one run, rank by rank.
#include "core/report/timeline.h"
#include "core/base/words.h"
#include "core/report/csv.h"
#include "core/report/kinds/kinds.h"
#include "core/report/standing.h"
#include "core/store/queries.h"

#include <algorithm>

namespace ringside::report {
namespace {

class Timeline : public FigureKind
{
public:
    constexpr Timeline()
        : FigureKind(kTimelineName, Words::noop("Timeline"))
    {
    }

    bool isOfOneRun() const override { return true; }
    Result<Analysis> analyse(const store::Database& db, const MeasuredExperiment& measured,
                             const AnalysisRequest& request) const override;
};

constinit const Timeline timelineKind;

/// Makes the figure of analysis.run, if there is one: else nothing was compared, either.
Result<FigureData> figureOf(const store::Database& db, const MeasuredExperiment& measured,
                            const AnalysisRequest& request, Analysis& analysis)
{
    const auto found =
        std::ranges::find_if(measured.runs, [&](const store::MeasuredRun& run) { return run.row.id == analysis.run; });
    if (found == measured.runs.end())
        return FigureData{};
    const bool isAsked = !request.run || analysis.run == request.run; // else the iteration is of another run
    TRY_ASSIGN(const auto iteration, store::detailedIteration(db, found->row.id, found->row.attempt,
                                                              isAsked ? request.iteration : std::nullopt));
    analysis.recorded = iteration.recorded;
    analysis.iteration = iteration.seq;
    TRY_ASSIGN(const auto plan, store::planOf(db, found->row));
    return timeline(found->row, iteration, plan);
}

Result<Analysis> Timeline::analyse(const store::Database& db, const MeasuredExperiment& measured,
                                   const AnalysisRequest& request) const
{
    Analysis analysis;
    TRY_ASSIGN(analysis.comparison, anyComparison(measured, request.compare));
    addStandings(analysis.comparison, measured.experiment, request.layout);
    analysis.table = summaryTable(analysis.comparison, request.layout);
    analysis.shown = summaryTable(analysis.comparison, request.layout, request.style);
    analysis.run =
        request.onlyCompared || !request.run ? runForTimeline(analysis.comparison, request.run) : request.run;
    if (auto figure = figureOf(db, measured, request, analysis))
        analysis.figure = std::move(*figure);
    else
        analysis.refusal = figure.error();
    return analysis;
}

} // namespace

const FigureKind& kTimeline = timelineKind;

std::string Lanes::csv(const FigureData&) const
{
    std::string text = csv::line({"rank", "host", "activity", "name", "start_ms", "length_ms", "ready_ms", "bytes"});
    for (const Lane& lane : lanes)
        for (const auto* bars : {&lane.phases, &lane.layers, &lane.communication})
            for (const Bar& bar : *bars)
                text += csv::line({std::to_string(lane.rank), lane.host, std::string(nameOf(bar.activity)), bar.name,
                                   csv::number(bar.start), csv::number(bar.length), csv::number(bar.ready),
                                   bar.bytes ? std::to_string(*bar.bytes) : ""});
    return text;
}

} // namespace ringside::report
