// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/welcome/actioncard.h"

#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, const QString& note)
{
    auto* line = new QHBoxLayout;
    line->addWidget(makeParagraph(LabelKind::caption, note));
    fillActionCard(card, theme, icon, title, text, button, line);
}

void fillActionCard(Card& card, const ThemeController& theme, const QString& icon, const QString& title,
                    const QString& text, QPushButton* button, QLayout* note)
{
    auto* body = card.body();
    body->setContentsMargins(20, 20, 20, 16);
    body->addWidget(new IconLabel(theme, icon, Ink::accent, 28));
    body->addSpacing(8);
    body->addWidget(makeParagraph(LabelKind::cardTitle, title));
    body->addWidget(makeParagraph(LabelKind::text, text));
    body->addStretch(1);
    body->addSpacing(16);
    body->addWidget(button, 0, Qt::AlignLeft);
    body->addLayout(note);
}

} // namespace ringside
