// SPDX-License-Identifier: GPL-3.0-or-later
// One entry of the status bar: a shape in a state colour and words; a click or Enter opens what it is about.
#pragma once

#include "app/style/themecontroller.h"

#include <QToolButton>

namespace ringside {

class StatusEntry : public QToolButton
{
public:
    explicit StatusEntry(const ThemeController& theme);
    void setState(const QString& icon, Ink ink, const QString& words);

private:
    const ThemeController& m_theme;
};

} // namespace ringside
