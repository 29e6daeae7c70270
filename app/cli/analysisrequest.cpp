// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analysisrequest.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/report/analyse.h"
#include "core/report/choice.h"
#include "core/report/kinds/kinds.h"
#include "core/spec/basecase.h"

#include <fmt/ranges.h>

namespace ringside::cli {

std::string kindsText(bool withThoseOfOneRun)
{
    std::vector<std::string_view> names;
    for (const report::FigureKind* kind : report::figureKinds())
        if (withThoseOfOneRun || !kind->isOfOneRun())
            names.push_back(kind->name());
    return joined(names, ", ");
}

Result<report::AnalysisRequest> requestOf(const report::MeasuredExperiment& measured, const CompareOptions& options,
                                          bool withThoseOfOneRun)
{
    report::AnalysisRequest request;
    request.kind = report::findFigureKind(options.show);
    request.layout = options.layout;
    if (!request.kind)
        return fail(ErrorCode::usage, fmt::format("“{}” cannot be shown.", plainText(options.show)),
                    fmt::format("There are: {}.", kindsText(withThoseOfOneRun)));
    request.compare.experiment = measured.experiment;
    request.compare.leaveOutDisturbed = options.leaveOutDisturbed;
    request.compare.keepNan = options.keepNan;
    TRY_ASSIGN(request.compare.leftOut, report::levelsLeftOut(options.leftOut, measured.experiment, measured.runs));
    if (!options.base.empty()) {
        TRY_ASSIGN(request.compare.base, spec::parseRule(options.base, measured.experiment));
    }
    return request;
}

Result<report::Analysis> analysisOf(const store::Database& db, const report::MeasuredExperiment& measured,
                                    const report::AnalysisRequest& request)
{
    TRY_ASSIGN(report::Analysis analysis, report::analyse(db, measured, request));
    if (analysis.refusal)
        return tl::unexpected(*std::move(analysis.refusal));
    TRY(report::checkLayout(request.layout, analysis.comparison));
    return analysis;
}

} // namespace ringside::cli
