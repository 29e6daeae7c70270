// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace ringside {

namespace {

QPixmap rendered(const QString& name, int size, const QColor& colour, qreal ratio)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QSvgRenderer svg(file.readAll().replace("currentColor", colour.name().toLatin1()));
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.fill(Qt::transparent);
    pixmap.setDevicePixelRatio(ratio);
    QPainter painter(&pixmap);
    svg.render(&painter, QRectF(0, 0, size, size));
    return pixmap;
}

} // namespace

QPixmap iconPixmap(const QString& name, int size, const QColor& colour, qreal ratio)
{
    const auto key = QStringLiteral("ringside/%1/%2/%3/%4").arg(name, colour.name()).arg(size).arg(ratio);
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = rendered(name, size, colour, ratio);
        QPixmapCache::insert(key, pixmap);
    }
    return pixmap;
}

void drawIcon(QPainter& painter, const QRectF& box, const QString& name, int size, const QColor& colour)
{
    const auto pixmap = iconPixmap(name, size, colour, painter.device()->devicePixelRatioF());
    painter.drawPixmap(QPointF(box.center().x() - size / 2.0, box.center().y() - size / 2.0), pixmap);
}

} // namespace ringside
