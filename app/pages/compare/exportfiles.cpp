// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/compare/exportfiles.h"

#include "app/figures/exportfigure.h"
#include "core/report/files.h"

namespace ringside {

namespace {

/// The first of name.ext, name-2.ext, … that is not there.
fs::path freeName(const fs::path& path)
{
    fs::path candidate = path;
    for (int number = 2; fs::exists(candidate); ++number)
        candidate =
            path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
    return candidate;
}

Result<void> writeOne(const ExportContent& content, const ExportRequest& request, ExportKind kind, const fs::path& path)
{
    switch (kind) {
    case ExportKind::pdf:
    case ExportKind::svg:
    case ExportKind::png:
    case ExportKind::csv:
        return figures::exportFigure(content.figure, path, request.paper);
    case ExportKind::runs:
        return writeFileAtomically(path, report::runsCsv(content.runs));
    case ExportKind::caption:
        return writeFileAtomically(path, request.caption + "\n");
    case ExportKind::provenance:
        return writeFileAtomically(path, report::provenanceJson(content.comparison, content.figure, content.runs));
    }
    return {};
}

} // namespace

std::vector<ExportFile> exportFiles(report::Show show)
{
    const std::string base = "fig-" + std::string(report::nameOf(show));
    return {{ExportKind::pdf, base + ".pdf", true},    {ExportKind::svg, base + ".svg", true},
            {ExportKind::png, base + ".png", false},   {ExportKind::csv, base + ".csv", true},
            {ExportKind::runs, "runs.csv", true},      {ExportKind::provenance, base + ".json", true},
            {ExportKind::caption, "caption.txt", true}};
}

std::vector<std::string> existingFiles(const ExportRequest& request)
{
    std::vector<std::string> existing;
    std::error_code ignored; // a folder that cannot be looked into is told when writing
    for (const ExportFile& file : request.files)
        if (fs::exists(request.folder / file.name, ignored))
            existing.push_back(file.name);
    return existing;
}

ExportOutcome writeExport(const ExportContent& content, const ExportRequest& request)
{
    ExportOutcome outcome;
    for (const ExportFile& file : request.files) {
        const fs::path wanted = request.folder / file.name;
        const fs::path path = request.replace ? wanted : freeName(wanted);
        if (auto written = writeOne(content, request, file.kind, path); written)
            outcome.written.push_back(path);
        else
            outcome.errors.push_back(written.error());
    }
    return outcome;
}

} // namespace ringside
