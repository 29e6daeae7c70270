// SPDX-License-Identifier: MIT
#include "core/report/comparedkind.h"

#include "core/report/standing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside::report {

PrintedPanel& panelNamed(std::vector<PrintedPanel>& panels, const std::string& title,
                         const std::vector<TableColumn>& columns)
{
    const auto found = std::ranges::find(panels, title, &PrintedPanel::title);
    return found != panels.end() ? *found : panels.emplace_back(PrintedPanel{title, columns, {}});
}

void ComparedKind::addTo(nlohmann::ordered_json&, const Group&) const {}

std::vector<std::string> ComparedKind::notes(const Comparison&, const FigureData&) const
{
    return {};
}

Result<Analysis> ComparedKind::analyse(const store::Database&, const MeasuredExperiment& measured,
                                       const AnalysisRequest& request) const
{
    CompareRequest asked = request.compare;
    asked.kind = this;
    Analysis analysis;
    TRY_ASSIGN(analysis.comparison, compare(measured.runs, asked));
    addStandings(analysis.comparison, measured.experiment, request.layout);
    analysis.figure = figure(analysis.comparison, request.layout);
    analysis.table = summaryTable(analysis.comparison, request.layout);
    analysis.shown = summaryTable(analysis.comparison, request.layout, request.style);
    return analysis;
}

} // namespace ringside::report
