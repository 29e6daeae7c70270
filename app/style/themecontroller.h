// SPDX-License-Identifier: GPL-3.0-or-later
// Applies palette, style sheet and font to the application and switches them while it runs. GUI thread.
#pragma once

#include "app/style/fonts.h"
#include "app/style/portal.h"
#include "app/style/theme.h"

#include <QIcon>
#include <QObject>

namespace ringside {

enum class Appearance
{
    system,
    light,
    dark
};

class ThemeController : public QObject
{
    Q_OBJECT
public:
    /// Sets the Fusion style; nothing is applied before the first apply().
    ThemeController();

    /// Applies everything and starts to follow the desktop if `appearance` is system.
    void apply(Appearance appearance, FontChoice font, double textScale);

    const Theme& theme() const { return *m_theme; }
    QColor ink(Ink ink) const { return m_theme->ink(ink); }
    double textScale() const { return m_textScale; }
    /// An icon that has the colour of `ink` in every theme. The controller must outlive it.
    QIcon icon(const QString& name, Ink ink = Ink::text) const;

Q_SIGNALS:
    /// After palette and sheet were replaced: whatever paints by itself repaints.
    void themeChanged();

private:
    const Theme* chosen() const;
    void refresh();

    Portal m_portal;
    QFont m_desktopFont;
    bool m_systemIsDark = false;
    bool m_portalStarted = false;
    Appearance m_appearance = Appearance::system;
    FontChoice m_font = FontChoice::ringside;
    double m_textScale = 1;
    const Theme* m_theme = &Theme::day();
};

} // namespace ringside
