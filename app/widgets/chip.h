// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the rounded label of a state and the small progress bar in tables.
#pragma once

#include "app/widgets/statelook.h"

#include <QFont>
#include <QRect>

class QPainter;

namespace ringside {

/// Width of a chip with its word in `font`.
int chipWidth(const StateLook& look, const QFont& font);
/// Draws it at the left of `box`, centred in height, the word elided if there is little room.
void drawChip(QPainter& painter, const QRect& box, const StateLook& look, const QFont& font, const Theme& theme);

struct Progress
{
    int done = 0, total = 0;
    Ink ink = Ink::running;
    QString text;   ///< beside the bar where there is room
    QString widest; ///< the longest that it may be: the bars of a column are equally long
    bool operator==(const Progress&) const = default;
};

/// The bar is 6 px high; `text` is at its right in text2.
void drawProgress(QPainter& painter, const QRect& box, const Progress& progress, const QFont& font, const Theme& theme);

} // namespace ringside

Q_DECLARE_METATYPE(ringside::Progress)
