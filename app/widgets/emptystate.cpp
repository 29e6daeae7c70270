// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/emptystate.h"

#include "app/widgets/actionbutton.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QVBoxLayout>

namespace ringside {

EmptyState::EmptyState(const ThemeController& theme, const QString& icon, const QString& sentence, QWidget* parent)
    : QWidget(parent)
    , m_sentence(makeParagraph(LabelKind::text, sentence))
    , m_buttons(new QHBoxLayout)
{
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(space::kGap);
    layout->addStretch(2);
    layout->addWidget(new IconLabel(theme, icon, Ink::text2, 32), 0, Qt::AlignHCenter);
    m_sentence->setAlignment(Qt::AlignHCenter);
    layout->addWidget(m_sentence);
    layout->addLayout(m_buttons);
    layout->addStretch(3);
    m_buttons->setSpacing(space::kField);
    m_buttons->addStretch();
    m_buttons->addStretch();
}

void EmptyState::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

void EmptyState::addAction(QAction* action, bool isPrimary)
{
    auto* button = new ActionButton(action);
    m_buttons->insertWidget(m_buttons->count() - 1, isPrimary ? primary(button) : button);
    if (!focusProxy())
        setFocusProxy(button);
}

} // namespace ringside
