// SPDX-License-Identifier: GPL-3.0-or-later
// Ringside's icons: SVG outlines on a 24 grid in resources/icons, drawn in one colour.
#pragma once

#include <QIcon>
#include <QPixmap>
#include <QString>

class QPainter;

namespace ringside {

/// The icon `name` in `colour`, `size` logical pixels wide, sharp at `ratio` device pixels per logical one. Cached.
/// Returns an empty pixmap for an unknown name. GUI thread.
QPixmap iconPixmap(const QString& name, int size, const QColor& colour, qreal ratio);

/// Draws it with its centre in the middle of `box`.
void drawIcon(QPainter& painter, const QRectF& box, const QString& name, int size, const QColor& colour);

} // namespace ringside
