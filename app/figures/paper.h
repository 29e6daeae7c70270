// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of a printed figure. Widths of IEEE columns; text no smaller than 8 pt at final size.
#pragma once

#include <QString>

namespace ringside::figures {

inline constexpr double kOneColumnMm = 88.9;
inline constexpr double kTwoColumnsMm = 182;
inline constexpr double kLeastTextPt = 8;

struct PaperSize
{
    double widthMm = kOneColumnMm;
    double heightMm = 0; ///< 0: what the figure needs at this width
};

struct PaperOptions
{
    PaperSize size;
    QString family;               ///< empty: the first of the sans-serif chain that is installed
    double textPt = kLeastTextPt; ///< not below kLeastTextPt
    bool outlines = false;        ///< text as shapes, for publishers that want no fonts in a graphic
};

/// Liberation Sans, Arimo, Nimbus Sans, Roboto, DejaVu Sans: the first that is installed, else the system's sans serif.
QString paperFamily();

} // namespace ringside::figures
