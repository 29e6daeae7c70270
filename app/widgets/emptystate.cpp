// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/emptystate.h"

#include "app/widgets/actionbutton.h"
#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

namespace ringside {

EmptyState::EmptyState(const ThemeController& theme, const QString& icon, const QString& sentence)
    : m_sentence(makeParagraph(LabelKind::text, sentence))
    , m_buttons(makeRow({stretch(), stretch()}, space::kField))
{
    m_sentence->setAlignment(Qt::AlignHCenter);
    auto* sign = new IconLabel(theme, icon, Ink::text2, 32);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(space::kGap);
    addTo(*layout, {stretch(2), {sign, 0, Qt::AlignHCenter}, m_sentence, m_buttons, stretch(3)});
}

void EmptyState::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

void EmptyState::addAction(QAction* action)
{
    auto* button = new ActionButton(action);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    if (!focusProxy())
        setFocusProxy(button);
}

} // namespace ringside
