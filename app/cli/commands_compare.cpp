// SPDX-License-Identifier: GPL-3.0-or-later
// compare, figure: read only, safe beside a window that writes. What is shown is worked out as in the window.
#include "app/cli/commands.h"

#include "app/cli/figuretext.h"
#include "app/cli/findrun.h"
#include "app/cli/output.h"
#include "app/cli/shownrequest.h"
#include "app/figures/exportfigure.h"
#include "core/base/text.h"
#include "core/report/timeline.h"
#include "core/store/queries.h"

#include <cstdio>

namespace ringside::cli {

namespace {

/// Of a run that is named, compared or not.
Result<report::FigureData> timelineOf(const store::Database& db, const FigureOptions& options,
                                      const std::optional<std::uint32_t>& iteration)
{
    TRY_ASSIGN(const store::RunRow run, findRun(db, options.run));
    if (run.experiment != options.compare.experiment)
        return fail(ErrorCode::usage, fmt::format("Run {} is not of experiment “{}”.", run.number,
                                                  plainText(options.compare.experiment)));
    TRY_ASSIGN(const auto recorded, store::detailedIteration(db, run.id, run.attempt, iteration));
    return report::timeline(run, recorded);
}

Error nothingToDraw(const CompareOptions& options, bool isTimeline)
{
    const std::string name = plainText(options.experiment);
    if (!options.leftOut.empty() || options.leaveOutDisturbed)
        return {ErrorCode::usage, fmt::format("No finished run of “{}” is left to draw.", name), "Leave out less."};
    return {ErrorCode::usage, fmt::format("No run of “{}” is done: there is nothing to draw.", name),
            isTimeline ? "Name one that has begun by --run." : "“ringside-cli runs” says how far they are."};
}

Result<report::FigureData> figureOf(const Context& context, const FigureOptions& options)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(const MeasuredExperiment measured, loadMeasured(db, options.compare.experiment));
    TRY_ASSIGN(ShownRequest request, requestOf(measured, options.compare));
    const bool isTimeline = request.compare.show == report::Show::timeline;
    if (!isTimeline && (!options.run.empty() || options.iteration))
        return fail(ErrorCode::usage, "--run and --iteration are for timelines.", "Add --show timeline.");
    if (options.iteration)
        request.iteration = static_cast<std::uint32_t>(*options.iteration);
    if (!options.run.empty())
        return timelineOf(db, options, request.iteration);
    TRY_ASSIGN(Shown shown, shownOf(db, measured, request));
    if (shown.figure.panels.empty())
        return tl::unexpected(nothingToDraw(options.compare, isTimeline));
    return std::move(shown.figure);
}

Result<Shown> comparedOf(const Context& context, const CompareOptions& options)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(const MeasuredExperiment measured, loadMeasured(db, options.experiment));
    TRY_ASSIGN(const ShownRequest request, requestOf(measured, options));
    if (request.compare.show == report::Show::timeline)
        return fail(ErrorCode::usage, "compare prints no timeline, which is of one run.",
                    "Use figure --show timeline to draw it.");
    return shownOf(db, measured, request);
}

} // namespace

Exit compare(const Context& context, const CompareOptions& options)
{
    TRY_OR_EXIT(const Shown shown, comparedOf(context, options));
    if (context.json)
        fmt::print("{}\n", report::comparisonToJson(shown.comparison));
    else
        printFigure(shown.figure);
    return Exit::done;
}

Exit figure(const Context& context, const FigureOptions& options)
{
    TRY_OR_EXIT(const report::FigureData data, figureOf(context, options));
    if (auto written = figures::exportFigure(data, options.to, figures::PaperSize{options.widthMm}); !written)
        return report(unwritable(written.error()));
    if (context.json) {
        print({{"path", options.to}, {"caption", data.caption}, {"notes", data.notes}});
        return Exit::done;
    }
    fmt::print(stderr, "{}\n{}\n", options.to, data.caption);
    for (const std::string& note : data.notes)
        fmt::print(stderr, "note: {}\n", note);
    return Exit::done;
}

} // namespace ringside::cli
