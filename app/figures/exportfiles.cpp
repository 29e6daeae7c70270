// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/exportfiles.h"

#include "app/figures/exportfigure.h"
#include "core/base/sharedfile.h"
#include "core/report/files.h"

#include <algorithm>

namespace ringside {

namespace {

/// A folder that cannot be looked into is told when writing.
bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// "fig-speedup-2.pdf"; number 1 is the name itself.
fs::path numbered(const fs::path& name, int number)
{
    if (number == 1)
        return name;
    return fmt::format("{}-{}{}", name.stem().string(), number, name.extension().string());
}

/// The first number under which none of the files is there: files that belong together keep one number.
int freeNumber(const ExportRequest& request)
{
    const auto isTaken = [&](int number) {
        return std::any_of(request.files.begin(), request.files.end(), [&](const ExportFile& file) {
            return isThere(request.folder / numbered(file.name, number));
        });
    };
    int number = 1;
    while (isTaken(number))
        ++number;
    return number;
}

Result<void> writeOne(const ExportContent& content, const ExportRequest& request, ExportKind kind, const fs::path& path)
{
    switch (kind) {
    case ExportKind::pdf:
    case ExportKind::svg:
    case ExportKind::png:
    case ExportKind::csv:
    case ExportKind::trace:
        return figures::exportFigure(content.figure, path, request.paper);
    case ExportKind::runs:
        return writeSharedFile(path, report::runsCsv(content.runs));
    case ExportKind::caption:
        return writeSharedFile(path, request.caption + "\n");
    case ExportKind::provenance:
        return writeSharedFile(path, report::provenanceJson(content.comparison, content.figure, content.runs));
    }
    return {};
}

} // namespace

std::string_view nameOf(ExportKind kind)
{
    switch (kind) {
    case ExportKind::pdf:
        return "pdf";
    case ExportKind::svg:
        return "svg";
    case ExportKind::png:
        return "png";
    case ExportKind::csv:
        return "csv";
    case ExportKind::runs:
        return "runs";
    case ExportKind::caption:
        return "caption";
    case ExportKind::provenance:
        return "provenance";
    case ExportKind::trace:
        return "trace";
    }
    return {};
}

std::vector<ExportFile> exportFiles(report::Show show)
{
    const std::string base = "fig-" + std::string(report::nameOf(show));
    std::vector<ExportFile> files = {
        {ExportKind::pdf, base + ".pdf", true},    {ExportKind::svg, base + ".svg", true},
        {ExportKind::png, base + ".png", false},   {ExportKind::csv, base + ".csv", true},
        {ExportKind::runs, "runs.csv", true},      {ExportKind::provenance, base + ".json", true},
        {ExportKind::caption, "caption.txt", true}};
    if (show == report::Show::timeline)
        files.push_back({ExportKind::trace, "trace.json", true});
    return files;
}

std::vector<std::string> existingFiles(const ExportRequest& request)
{
    std::vector<std::string> existing;
    for (const ExportFile& file : request.files)
        if (isThere(request.folder / file.name))
            existing.push_back(file.name);
    return existing;
}

ExportOutcome writeExport(const ExportContent& content, const ExportRequest& request)
{
    ExportOutcome outcome;
    if (isThere(fs::absolute(request.folder / "").parent_path().parent_path())) { // else the path may be mistyped
        std::error_code ignored;                                                  // told by each file
        fs::create_directory(request.folder, ignored);
    }
    const int number = request.replace ? 1 : freeNumber(request);
    for (const ExportFile& file : request.files) {
        const fs::path path = request.folder / numbered(file.name, number);
        if (auto written = writeOne(content, request, file.kind, path); written)
            outcome.written.push_back(path);
        else
            outcome.errors.push_back(written.error());
    }
    return outcome;
}

} // namespace ringside
