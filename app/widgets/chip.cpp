// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/chip.h"

#include "app/style/icons.h"

#include <QFontMetrics>
#include <QPainter>

namespace ringside {

namespace {

constexpr int kChipHeight = 20, kChipIcon = 12, kChipPadding = 8, kChipGap = 4;
constexpr int kBarHeight = 6, kBarMaximum = 72, kBarGap = 8;

} // namespace

int chipWidth(const StateLook& look, const QFont& font)
{
    return 2 * kChipPadding + kChipIcon + kChipGap + QFontMetrics(font).horizontalAdvance(look.word);
}

void drawChip(QPainter& painter, const QRect& box, const StateLook& look, const QFont& font, const Theme& theme)
{
    const QColor colour = theme.ink(look.ink);
    const int height = qMax(kChipHeight, QFontMetrics(font).height() + 4);
    const QRect chip(box.left(), box.center().y() - height / 2 + 1, qMin(chipWidth(look, font), box.width()), height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.tint(colour));
    painter.drawRoundedRect(chip, height / 2.0, height / 2.0);
    drawIcon(painter, QRect(chip.left() + kChipPadding, chip.top(), kChipIcon, height), look.icon, kChipIcon, colour);
    const QRect word = chip.adjusted(kChipPadding + kChipIcon + kChipGap, 0, -kChipPadding + 2, 0);
    painter.setPen(colour);
    painter.setFont(font);
    painter.drawText(word, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(font).elidedText(look.word, Qt::ElideRight, word.width()));
}

void drawProgress(QPainter& painter, const QRect& box, const Progress& progress, const QFont& font, const Theme& theme)
{
    const int textWidth = QFontMetrics(font).horizontalAdvance(progress.widest);
    const bool roomForText = box.width() >= textWidth + kBarGap + 32;
    const int barWidth = qMin(kBarMaximum, roomForText ? box.width() - textWidth - kBarGap : box.width());
    const QRectF bar(box.left(), box.center().y() - kBarHeight / 2 + 1, barWidth, kBarHeight);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.grid);
    painter.drawRoundedRect(bar, 3, 3);
    if (progress.done > 0 && progress.total > 0) {
        const double share = qMin(1.0, double(progress.done) / progress.total);
        painter.setBrush(theme.ink(progress.ink));
        painter.drawRoundedRect(QRectF(bar.topLeft(), QSizeF(qMax(6.0, bar.width() * share), kBarHeight)), 3, 3);
    }
    if (!roomForText)
        return;
    painter.setPen(theme.text2);
    painter.setFont(font);
    painter.drawText(box.adjusted(barWidth + kBarGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, progress.text);
}

} // namespace ringside
