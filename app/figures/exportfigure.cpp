// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/exportfigure.h"

#include "app/figures/formats/format.h"
#include "core/base/sharedfile.h"
#include "core/base/words.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace ringside::figures {
namespace {

/// A drawing failed before anything was written to disk, which only a lack of memory can cause.
tl::unexpected<Error> drawingFailed(const fs::path& path)
{
    return fail(ErrorCode::io, Words::tr("“{}” could not be drawn: out of memory.", path.string()),
                Words::tr("Choose a smaller size."));
}

std::string extensionOf(const fs::path& path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return extension;
}

/// ".pdf, .svg, .png or .csv".
std::string extensionsFor(const report::FigureData& figure)
{
    std::vector<std::string> extensions;
    for (const Format* format : formatsFor(figure))
        if (format->needsFigureOnly)
            extensions.push_back(extensionOf(format->file));
    const std::string last = extensions.back();
    extensions.pop_back();
    return Words::tr("{} or {}", fmt::format("{}", fmt::join(extensions, ", ")), last);
}

Result<const Format*> formatOf(const report::FigureData& figure, const fs::path& path)
{
    for (const Format* format : formatsFor(figure))
        if (format->needsFigureOnly && extensionOf(format->file) == extensionOf(path))
            return format;
    return fail(ErrorCode::usage, Words::tr("“{}” is no file type for a figure.", path.filename().string()),
                Words::tr("Use {}.", extensionsFor(figure)));
}

std::string reasonFor(const Error& error, const fs::path& path)
{
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : Words::tr("this folder");
    std::error_code ignored;
    switch (error.code) {
    case ErrorCode::permission:
        return Words::tr("{} is read-only.", folder);
    case ErrorCode::noSpace:
        return Words::tr("the disk of {} is full.", folder);
    case ErrorCode::notFound: // also the error of folders that accept no files, such as /proc
        return fs::is_directory(folder, ignored) ? Words::tr("no file can be made in {}.", folder)
                                                 : Words::tr("there is no folder {}.", folder);
    default:
        return error.message;
    }
}

Result<void> write(const fs::path& path, const std::string& content)
{
    auto written = writeSharedFile(path, content);
    if (!written) {
        Error& error = written.error();
        error.message = Words::tr("{} could not be written: {}", path.filename().string(), reasonFor(error, path));
        error.hint = Words::tr("Choose another folder.");
    }
    return written;
}

} // namespace

Result<void> exportAs(const Format& format, const ExportContent& content, const PaperOptions& paper,
                      const std::string& caption, const fs::path& path)
{
    const auto text = format.make(content, paper, caption);
    return text ? write(path, *text) : Result<void>(drawingFailed(path));
}

Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperOptions& options)
{
    TRY_ASSIGN(const Format* format, formatOf(figure, path));
    ExportContent content;
    content.figure = figure;
    return exportAs(*format, content, options, {}, path);
}

Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperSize& size)
{
    PaperOptions options;
    options.size = size;
    return exportFigure(figure, path, options);
}

} // namespace ringside::figures
