// SPDX-License-Identifier: GPL-3.0-or-later
// compare: read only, safe beside a window that writes.
#include "app/cli/commands.h"

#include "app/cli/figuretext.h"
#include "app/cli/shownrequest.h"
#include "core/report/files.h"

#include <cstdio>

namespace ringside::cli {

namespace {

struct Compared
{
    MeasuredExperiment measured;
    Shown shown;
};

Result<Compared> comparedOf(const Context& context, const CompareOptions& options)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(MeasuredExperiment measured, loadMeasured(db, options.experiment));
    TRY_ASSIGN(const ShownRequest request, requestOf(measured, options));
    if (request.compare.show == report::Show::timeline)
        return fail(ErrorCode::usage, "compare prints no timeline, which is of one run.",
                    "Use figure --show timeline to draw it.");
    TRY_ASSIGN(Shown shown, shownOf(db, measured, request));
    return Compared{std::move(measured), std::move(shown)};
}

/// As the window copies and exports it.
std::string textAs(Form form, const Compared& compared)
{
    const Shown& shown = compared.shown;
    switch (form) {
    case Form::tsv:
        return report::toTsv(shown.table);
    case Form::latex:
        return report::toLatex(shown.table);
    case Form::caption:
        return shown.figure.caption + "\n";
    case Form::provenance:
        return report::provenanceJson(shown.comparison, shown.figure, compared.measured.runs) + "\n";
    case Form::runs:
        return report::runsCsv(compared.measured.runs);
    case Form::json:
        return report::comparisonToJson(shown.comparison) + "\n";
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
        printFigure(compared.shown.figure);
    else
        fmt::print("{}", textAs(form, compared));
    return Exit::done;
}

} // namespace ringside::cli
