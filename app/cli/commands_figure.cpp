// SPDX-License-Identifier: GPL-3.0-or-later
// figure: read only, safe beside a window that writes. Files and their contents are those of the window's export.
#include "app/cli/commands.h"
#include "core/base/sequences.h"

#include "app/cli/analysisrequest.h"
#include "app/cli/findrun.h"
#include "app/cli/output.h"
#include "app/figures/exportfigure.h"
#include "app/figures/exportfiles.h"
#include "app/figures/formats/format.h"
#include "core/base/say.h"
#include "core/base/text.h"
#include "core/report/analyse.h"
#include "core/report/flagnotes.h"
#include "core/store/queries.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::cli {

namespace {

/// The run named in the options, compared or not; nullopt: none is.
Result<std::optional<RunId>> namedRun(const Context& context, const store::Database& db, const FigureOptions& options)
{
    if (options.run.empty())
        return std::nullopt;
    TRY_ASSIGN(const store::RunRow run, findRun(context, db, options.run));
    if (run.experiment != options.compare.experiment)
        return fail(ErrorCode::usage, fmt::format("Run {} is not of experiment “{}”.", run.number,
                                                  plainText(options.compare.experiment)));
    return run.id;
}

Error nothingToDraw(const Context& context, const CompareOptions& options, const report::Comparison& comparison,
                    bool isOfOneRun)
{
    const std::string name = plainText(options.experiment);
    if (const auto why = report::whyAllLeftOut(comparison); why && !isOfOneRun)
        return *why;
    if (!options.leftOut.empty() || options.leaveOutDisturbed)
        return {ErrorCode::usage, fmt::format("No finished run of “{}” is left to draw.", name), "Leave out less."};
    return {ErrorCode::usage, fmt::format("No run of “{}” is done: there is nothing to draw.", name),
            isOfOneRun ? "Name one that has begun by --run."
                       : fmt::format("“{}” says how far they are.", commandLine(context, "runs"))};
}

/// The figure, and what is written beside it.
Result<ExportContent> contentOf(const Context& context, const FigureOptions& options)
{
    TRY_ASSIGN(const store::Database db, openStore(context));
    TRY_ASSIGN(report::MeasuredExperiment measured, report::loadMeasured(db, options.compare.experiment));
    TRY_ASSIGN(report::AnalysisRequest request, requestOf(measured, options.compare, true));
    const bool isOfOneRun = request.kind->isOfOneRun();
    if (!isOfOneRun && (!options.run.empty() || options.iteration))
        return fail(ErrorCode::usage, "--run and --iteration are for timelines.", "Add --show timeline.");
    if (options.iteration)
        request.iteration = static_cast<std::uint32_t>(*options.iteration);
    TRY_ASSIGN(request.run, namedRun(context, db, options));
    request.onlyCompared = false;
    TRY_ASSIGN(report::Analysis analysis, analysisOf(db, measured, request));
    if (analysis.figure.isEmpty())
        return tl::unexpected(nothingToDraw(context, options.compare, analysis.comparison, isOfOneRun));
    return ExportContent{std::move(analysis.comparison), std::move(analysis.figure), std::move(measured.runs)};
}

Error noSuchFile(const std::string& name, const std::vector<ExportFile>& all)
{
    std::vector<std::string_view> names = mapped(all, [&](const ExportFile& file) { return file.format->name; });
    return {ErrorCode::usage, fmt::format("“{}” is no file of this figure.", plainText(name)),
            fmt::format("There are: {}.", fmt::join(names, ", "))};
}

/// Those named; none: those that the window's dialog ticks at first.
Result<std::vector<ExportFile>> filesOf(const report::FigureData& figure, const std::vector<std::string>& names)
{
    std::vector<ExportFile> files = exportFiles(figure);
    for (const std::string& name : names)
        if (std::ranges::none_of(files, [&](const ExportFile& file) { return file.format->name == name; }))
            return tl::unexpected(noSuchFile(name, files));
    std::erase_if(files, [&](const ExportFile& file) {
        return names.empty() ? !file.format->isTicked : !contains(names, file.format->name);
    });
    return files;
}

figures::PaperOptions paperOf(const FigureOptions& options)
{
    figures::PaperOptions paper;
    paper.size = {options.widthMm, options.heightMm};
    paper.textPt = options.textPt;
    paper.outlines = options.outlines;
    return paper;
}

/// The files that exist now.
struct Written
{
    std::vector<std::string> paths;
    std::string caption;
    std::vector<Error> errors; ///< one for each file that could not be written
};

Result<Written> writeFolder(const ExportContent& content, const FigureOptions& options)
{
    ExportRequest request{
        options.into, {}, paperOf(options), options.caption.value_or(content.figure.caption), options.replace};
    TRY_ASSIGN(request.files, filesOf(content.figure, options.files));
    ExportOutcome outcome = writeExport(content, request);
    Written written{{}, request.caption, std::move(outcome.errors)};
    for (const fs::path& path : outcome.written)
        written.paths.push_back(path.string());
    return written;
}

Result<Written> write(const ExportContent& content, const FigureOptions& options)
{
    if (!options.into.empty())
        return writeFolder(content, options);
    if (auto written = figures::exportFigure(content.figure, options.to, paperOf(options)); !written)
        return tl::unexpected(unwritable(written.error()));
    return Written{{options.to}, content.figure.caption, {}};
}

Json toJson(const FigureOptions& options, const Written& written, const report::FigureData& figure)
{
    Json json;
    if (options.into.empty())
        json["path"] = options.to;
    else
        json["paths"] = written.paths;
    json["caption"] = written.caption;
    json["notes"] = figure.notes;
    return json;
}

void sayWritten(const Written& written, const report::FigureData& figure)
{
    for (const std::string& path : written.paths)
        sayErrorLine(path);
    sayErrorLine(written.caption);
    for (const std::string& note : figure.notes)
        sayError("note: {}", note);
}

/// Each of them; the first says how to end.
Exit reportAll(const std::vector<Error>& errors)
{
    Exit exit = Exit::done;
    for (const Error& error : errors)
        if (const Exit told = report(unwritable(error)); exit == Exit::done)
            exit = told;
    return exit;
}

} // namespace

Exit figure(const Context& context, const FigureOptions& options)
{
    TRY_OR_EXIT(const ExportContent content, contentOf(context, options));
    TRY_OR_EXIT(const Written written, write(content, options));
    if (!written.paths.empty() && context.json)
        print(toJson(options, written, content.figure));
    else if (!written.paths.empty())
        sayWritten(written, content.figure);
    return reportAll(written.errors);
}

} // namespace ringside::cli
