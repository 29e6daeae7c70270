// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of a printed figure. Widths of IEEE columns; text no smaller than 8 pt at final size.
#pragma once

#include "app/figures/marks.h"

#include <QString>
#include <optional>

namespace ringside::figures {

inline constexpr double kOneColumnMm = 88.9;
inline constexpr double kTwoColumnsMm = 182;
inline constexpr double kLeastTextPt = 8;

struct PaperSize
{
    double widthMm = kOneColumnMm;
    double heightMm = 0; ///< 0: what the figure needs at this width
};

/// On screen: the window's colours on whatever lies behind, and marks as many points big as a pixel is.
struct ScreenLook
{
    Palette palette;
    double pointsPerPixel = 0.75;
};

struct PaperOptions
{
    PaperSize size;
    QString family;                   ///< empty: the first of the sans-serif chain that is installed
    double textPt = kLeastTextPt;     ///< not below kLeastTextPt
    bool outlines = false;            ///< text as shapes, for publishers that want no fonts in a graphic
    std::optional<ScreenLook> screen; ///< absent: white paper
};

/// Liberation Sans, Arimo, Nimbus Sans, Roboto, DejaVu Sans: the first that is installed, else the system's sans serif.
QString paperFamily();

} // namespace ringside::figures
