// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/formats/vector.h"

#include "core/base/words.h"

#include <QBuffer>
#include <QPainter>

namespace ringside::figures {

std::string vectorRemark(const ExportContent&)
{
    return Words::tr("vector");
}

std::optional<std::string> drawn(const FigureRenderer& renderer, QPaintDevice& device, const QBuffer& buffer)
{
    const QSizeF page(renderer.size().widthMm, renderer.size().heightMm);
    QPainter painter;
    if (!painter.begin(&device))
        return std::nullopt;
    renderer.paint(painter, QRectF(QPointF(), page * kUnitsPerMm));
    painter.end();
    return buffer.data().toStdString();
}

} // namespace ringside::figures
