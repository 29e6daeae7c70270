// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/actioncard.h"

#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"

#include <QPushButton>

namespace ringside {

void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, const QString& note)
{
    fillActionCard(card, theme, icon, title, text, button, makeRow({makeParagraph(LabelKind::caption, note)}));
}

void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, QLayout* note)
{
    auto* body = card.body();
    body->setContentsMargins(20, 20, 20, 16);
    body->addWidget(new IconLabel(theme, icon, Ink::accent, 28));
    body->addSpacing(8);
    addTo(*body, {makeParagraph(LabelKind::cardTitle, title), makeParagraph(LabelKind::text, text), stretch(1)});
    body->addSpacing(16);
    addTo(*body, {{button, 0, Qt::AlignLeft}, note});
}

} // namespace ringside
