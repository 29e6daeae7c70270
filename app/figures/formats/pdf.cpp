// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/formats/format.h"
#include "app/figures/formats/vector.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPdfWriter>

namespace ringside::figures {

namespace {

constexpr int kPointsPerInch = 72;

/// With fonts embedded, at the exact size.
std::optional<std::string> make(const ExportContent& content, const PaperOptions& paper, const std::string&)
{
    const FigureRenderer renderer(content.figure, paper);
    const QSizeF page(renderer.size().widthMm, renderer.size().heightMm);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(kPointsPerInch * kUnitsPerPoint));
    writer.setPageSize(QPageSize(page, QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(qtext(content.figure.title));
    writer.setCreator(QStringLiteral("Ringside " RINGSIDE_VERSION));
    return drawn(renderer, writer, buffer);
}

} // namespace

extern const Format kPdf{"pdf", "fig-{}.pdf", true, true, fitsAll, vectorRemark, make};

} // namespace ringside::figures
