// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/formats/format.h"
#include "app/figures/formats/vector.h"

#include <QBuffer>
#include <QSvgGenerator>

namespace ringside::figures {

namespace {

constexpr int kMicrometresPerInch = 25'400;

std::optional<std::string> make(const ExportContent& content, const PaperOptions& paper, const std::string&)
{
    const FigureRenderer renderer(content.figure, paper);
    const QSizeF page(renderer.size().widthMm, renderer.size().heightMm);
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    // A size in micrometres at as many dots per inch gives width and height in exact millimetres.
    generator.setResolution(kMicrometresPerInch);
    generator.setSize((page * 1000).toSize());
    generator.setViewBox(QRectF(QPointF(), page * kUnitsPerMm));
    // QSvgGenerator writes these two as they are, “n < 6” included.
    generator.setTitle(qtext(content.figure.title).toHtmlEscaped());
    generator.setDescription(qtext(content.figure.caption).toHtmlEscaped());
    return drawn(renderer, generator, buffer);
}

} // namespace

extern const Format kSvg{"svg", "fig-{}.svg", true, true, fitsAll, vectorRemark, make};

} // namespace ringside::figures
