// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts: Roboto and JetBrains Mono from the system's packages; without them, or on request, the desktop's own.
#pragma once

#include <QFont>

namespace ringside {

enum class FontChoice
{
    ringside,
    desktop
};

inline constexpr int kTextSize = 13; ///< px of running text at 100 %
inline constexpr int kCaptionSize = 12;
inline constexpr int kSmallSize = 11; ///< nothing is smaller

/// Running text. With FontChoice::desktop the family of `desktopFont`.
QFont textFont(FontChoice choice, const QFont& desktopFont, double textScale);

/// For logs, scripts and fingerprints, a size below `text`.
QFont monospaceFont(const QFont& text);

/// `base` at `pixels` for a text size of 100 %, scaled as `base` is.
QFont sized(const QFont& base, int pixels, QFont::Weight weight = QFont::Normal);

} // namespace ringside
