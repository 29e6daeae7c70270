// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/statusentry.h"

namespace ringside {

StatusEntry::StatusEntry(const ThemeController& theme)
    : m_theme(theme)
{
    setProperty("flat", true);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIconSize({12, 12});
    setFocusPolicy(Qt::StrongFocus);
}

void StatusEntry::setState(const QString& icon, Ink ink, const QString& words)
{
    setIcon(m_theme.icon(icon, ink));
    setText(words);
}

} // namespace ringside
