// SPDX-License-Identifier: GPL-3.0-or-later
// compare: read only, safe beside a window that writes.
#include "app/cli/commands.h"

#include "app/cli/analysisrequest.h"
#include "app/cli/figuretext.h"
#include "app/cli/output.h"
#include "core/base/sequences.h"
#include "core/report/analyse.h"
#include "core/report/files.h"
#include "core/report/tableforms.h"

#include <algorithm>
#include <array>

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

std::string caption(const Compared& compared)
{
    return compared.analysis.figure.caption + "\n";
}

std::string provenance(const Compared& compared)
{
    return report::provenanceJson(compared.analysis.comparison, compared.analysis.figure, compared.measured.runs) +
           "\n";
}

std::string runs(const Compared& compared)
{
    return report::runsCsv(compared.measured.runs);
}

/// A text that the window exports beside the figure.
struct FigureText
{
    std::string_view name;
    std::string (*write)(const Compared& compared);
};
constexpr auto kFigureTexts =
    std::to_array<FigureText>({{"caption", caption}, {"provenance", provenance}, {"runs", runs}});

/// `form` is one of compareForms().
std::string textAs(const std::string& form, const Compared& compared)
{
    if (const report::TableForm* ofTable = report::findTableForm(form))
        return ofTable->write(compared.analysis.table);
    return std::ranges::find(kFigureTexts, form, &FigureText::name)->write(compared);
}

} // namespace

std::vector<std::string> compareForms()
{
    auto names = mapped<std::string>(report::tableForms(), &report::TableForm::name);
    for (const FigureText& text : kFigureTexts)
        names.emplace_back(text.name);
    return names;
}

Exit compare(const Context& context, const CompareOptions& options, const std::string& form)
{
    TRY_OR_EXIT(const Compared compared, comparedOf(context, options));
    if (context.json)
        printBytes(report::comparisonToJson(compared.analysis.comparison) + "\n");
    else if (form.empty())
        printFigure(compared.analysis);
    else
        printBytes(textAs(form, compared));
    return Exit::done;
}

} // namespace ringside::cli
