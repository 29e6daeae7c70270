// SPDX-License-Identifier: GPL-3.0-or-later
// compare: read only, safe beside a window that writes.
#include "app/cli/commands.h"

#include "app/cli/analysisrequest.h"
#include "app/cli/figuretext.h"
#include "app/cli/output.h"
#include "core/report/analyse.h"
#include "core/report/files.h"

namespace ringside::cli {

namespace {

struct Compared
{
    report::MeasuredExperiment measured;
    report::Analysis analysis;
};

Result<Compared> comparedOf(const Context& context, const CompareOptions& options)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(report::MeasuredExperiment measured, report::loadMeasured(db, options.experiment));
    TRY_ASSIGN(const report::AnalysisRequest request, requestOf(measured, options, false));
    if (request.kind->isOfOneRun())
        return fail(ErrorCode::usage, fmt::format("compare prints no {}, which is of one run.", request.kind->name()),
                    fmt::format("Use figure --show {} to draw it.", request.kind->name()));
    TRY_ASSIGN(report::Analysis analysis, analysisOf(db, measured, request));
    return Compared{std::move(measured), std::move(analysis)};
}

/// As the window copies and exports it.
std::string textAs(Form form, const Compared& compared)
{
    const report::Analysis& analysis = compared.analysis;
    switch (form) {
    case Form::tsv:
        return report::toTsv(analysis.table);
    case Form::latex:
        return report::toLatex(analysis.table);
    case Form::caption:
        return analysis.figure.caption + "\n";
    case Form::provenance:
        return report::provenanceJson(analysis.comparison, analysis.figure, compared.measured.runs) + "\n";
    case Form::runs:
        return report::runsCsv(compared.measured.runs);
    case Form::json:
        return report::comparisonToJson(analysis.comparison) + "\n";
    case Form::text:
        break;
    }
    return {};
}

} // namespace

Exit compare(const Context& context, const CompareOptions& options, Form form)
{
    TRY_OR_EXIT(const Compared compared, comparedOf(context, options));
    if (context.json)
        form = Form::json;
    if (form == Form::text)
        printFigure(compared.analysis);
    else
        printBytes(textAs(form, compared));
    return Exit::done;
}

} // namespace ringside::cli
