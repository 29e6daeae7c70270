// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/exportfigure.h"

#include "app/figures/canvas.h"
#include "app/figures/figurerenderer.h"
#include "core/base/sharedfile.h"
#include "core/base/words.h"
#include "core/report/files.h"
#include "core/report/trace.h"

#include <QBuffer>
#include <QImage>
#include <QPageLayout>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>

namespace ringside::figures {
namespace {

constexpr double kMmPerInch = 25.4;
constexpr int kPointsPerInch = 72;
constexpr int kMicrometresPerInch = 25'400;

std::string textOf(const QByteArray& bytes)
{
    return bytes.toStdString();
}

/// A drawing failed before anything was written to disk, which only a lack of memory can cause.
tl::unexpected<Error> drawingFailed(const fs::path& path)
{
    return fail(ErrorCode::io, Words::tr("“{}” could not be drawn: out of memory.", path.string()),
                Words::tr("Choose a smaller size."));
}

Result<std::string> pdf(const FigureRenderer& renderer, const report::FigureData& figure, const fs::path& path)
{
    const QSizeF page(renderer.size().widthMm, renderer.size().heightMm);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(kPointsPerInch * kUnitsPerPoint));
    writer.setPageSize(QPageSize(page, QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(qtext(figure.title));
    writer.setCreator(QStringLiteral("Ringside " RINGSIDE_VERSION));
    QPainter painter;
    if (!painter.begin(&writer))
        return drawingFailed(path);
    renderer.paint(painter, QRectF(QPointF(), page * kUnitsPerMm));
    painter.end();
    return textOf(buffer.data());
}

Result<std::string> svg(const FigureRenderer& renderer, const report::FigureData& figure, const fs::path& path)
{
    const QSizeF page(renderer.size().widthMm, renderer.size().heightMm);
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    // A size in micrometres at as many dots per inch gives width and height in exact millimetres.
    generator.setResolution(kMicrometresPerInch);
    generator.setSize((page * 1000).toSize());
    generator.setViewBox(QRectF(QPointF(), page * kUnitsPerMm));
    // QSvgGenerator writes these two as they are, “n < 6” included.
    generator.setTitle(qtext(figure.title).toHtmlEscaped());
    generator.setDescription(qtext(figure.caption).toHtmlEscaped());
    QPainter painter;
    if (!painter.begin(&generator))
        return drawingFailed(path);
    renderer.paint(painter, QRectF(QPointF(), page * kUnitsPerMm));
    painter.end();
    return textOf(buffer.data());
}

QImage image(const FigureRenderer& renderer, double dpi)
{
    const QSizeF pixels = QSizeF(renderer.size().widthMm, renderer.size().heightMm) * (dpi / kMmPerInch);
    QImage picture(pixels.toSize(), QImage::Format_RGB32);
    if (picture.isNull())
        return picture;
    picture.setDotsPerMeterX(qRound(dpi / kMmPerInch * 1000));
    picture.setDotsPerMeterY(qRound(dpi / kMmPerInch * 1000));
    QPainter painter(&picture);
    renderer.paint(painter, QRectF(QPointF(), QSizeF(picture.size())));
    return picture;
}

Result<std::string> png(const FigureRenderer& renderer, const fs::path& path)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image(renderer, kPngDpi).save(&buffer, "PNG"))
        return drawingFailed(path);
    return textOf(buffer.data());
}

std::string extensionOf(const fs::path& path)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return extension;
}

Result<std::string> contentFor(const report::FigureData& figure, const fs::path& path, const PaperOptions& options)
{
    const std::string extension = extensionOf(path);
    if (extension == ".csv")
        return report::figureCsv(figure);
    if (extension == ".pdf")
        return pdf(FigureRenderer(figure, options), figure, path);
    if (extension == ".svg")
        return svg(FigureRenderer(figure, options), figure, path);
    if (extension == ".png")
        return png(FigureRenderer(figure, options), path);
    if (extension == ".json" && figure.show == report::Show::timeline)
        return report::traceJson(figure);
    return fail(ErrorCode::usage, Words::tr("“{}” is no file type for a figure.", path.filename().string()),
                figure.show == report::Show::timeline ? Words::tr("Use .pdf, .svg, .png, .csv or .json (a trace).")
                                                      : Words::tr("Use .pdf, .svg, .png or .csv."));
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
    case ErrorCode::notFound: // also said by folders that take no files, such as /proc
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

Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperOptions& options)
{
    TRY_ASSIGN(const std::string content, contentFor(figure, path, options));
    return write(path, content);
}

Result<void> exportFigure(const report::FigureData& figure, const fs::path& path, const PaperSize& size)
{
    PaperOptions options;
    options.size = size;
    return exportFigure(figure, path, options);
}

QImage figureImage(const report::FigureData& figure, const PaperOptions& options, double dpi)
{
    return image(FigureRenderer(figure, options), dpi);
}

} // namespace ringside::figures
