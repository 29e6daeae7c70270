// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class QPushButton;

namespace ringside {

//// A card of Welcome's first row: icon, title, text, button, note; equal height whatever the length of the text.
void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, const QString& note);
/// With something else in the place of the note.
void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, QLayout* note);

} // namespace ringside
