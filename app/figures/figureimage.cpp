// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/figureimage.h"

#include "app/figures/figurerenderer.h"

#include <QImage>
#include <QPainter>

namespace ringside::figures {

namespace {

constexpr double kMmPerInch = 25.4;

} // namespace

QImage figureImage(const report::FigureData& figure, const PaperOptions& options, double dpi)
{
    const FigureRenderer renderer(figure, options);
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

} // namespace ringside::figures
