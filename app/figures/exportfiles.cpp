// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/exportfiles.h"

#include "app/figures/exportfigure.h"
#include "app/figures/formats/format.h"

#include <algorithm>

namespace ringside {

namespace {

/// "fig-speedup-2.pdf"; number 1 is the name itself.
fs::path numbered(const fs::path& name, int number)
{
    if (number == 1)
        return name;
    return fmt::format("{}-{}{}", name.stem().string(), number, name.extension().string());
}

/// The first number under which none of the files is there: files that belong together have one number.
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

} // namespace

std::vector<ExportFile> exportFiles(const report::FigureData& figure)
{
    std::vector<ExportFile> files;
    for (const figures::Format* format : figures::formatsFor(figure))
        files.push_back({format, fmt::format(fmt::runtime(format->file), figure.kind)});
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
    std::error_code ignored; // reported for each file
    const fs::path folder = fs::absolute(request.folder / "", ignored);
    if (isThere(folder.parent_path().parent_path())) // else the path may be mistyped
        fs::create_directory(request.folder, ignored);
    const int number = request.replace ? 1 : freeNumber(request);
    for (const ExportFile& file : request.files) {
        const fs::path path = request.folder / numbered(file.name, number);
        if (auto written = figures::exportAs(*file.format, content, request.paper, request.caption, path); written)
            outcome.written.push_back(path);
        else
            outcome.errors.push_back(written.error());
    }
    return outcome;
}

} // namespace ringside
