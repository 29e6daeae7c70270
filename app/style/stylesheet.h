// SPDX-License-Identifier: GPL-3.0-or-later
// The one style sheet of the window: a template in resources/style, filled from a theme.
#pragma once

#include <QString>

namespace ringside {

struct Theme;

/// `text` with every @name@ replaced by the theme's colour of that name and every font size multiplied by `textScale`.
QString filledSheet(QString text, const Theme& theme, double textScale);

/// The sheet of the program.
QString styleSheet(const Theme& theme, double textScale);

} // namespace ringside
