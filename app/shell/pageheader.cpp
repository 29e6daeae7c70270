// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/pageheader.h"

#include "app/widgets/actionbutton.h"
#include "app/widgets/arrange.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/styled.h"

namespace ringside {

PageHeader::PageHeader(const ThemeController& theme)
    : m_title(new ElidedLabel(LabelKind::pageTitle))
    , m_context(new ElidedLabel(LabelKind::caption))
    , m_stale(new QWidget)
    , m_staleText(new ElidedLabel(LabelKind::caption))
    , m_right(new QHBoxLayout)
{
    fillRow(m_stale, {new IconLabel(theme, QStringLiteral("clock"), Ink::text2, 12), m_staleText}, 4);
    m_stale->hide();
    auto* titleRow = makeRow({m_title, m_stale, stretch()}, space::kGap);
    auto* words = makeColumn({titleRow, m_context}, 2);
    m_right->setSpacing(space::kField);
    fillRow(this, {{words, 1}, m_right}, space::kGap);
    m_context->hide();
}

void PageHeader::setTitle(const QString& title)
{
    m_title->setFullText(title);
}

void PageHeader::setContextLine(const QString& text)
{
    m_context->setFullText(text);
    m_context->setVisible(!text.isEmpty());
}

void PageHeader::setStale(const QString& text)
{
    m_staleText->setFullText(text);
    m_stale->setVisible(!text.isEmpty());
}

void PageHeader::addWidget(QWidget* widget)
{
    m_right->addWidget(widget);
}

void PageHeader::addAction(QAction* action, bool isPrimary, bool isDanger)
{
    auto* button = new ActionButton(action);
    button->setFocusPolicy(Qt::StrongFocus);
    if (isPrimary)
        primary(button);
    if (isDanger)
        danger(button);
    m_right->addWidget(button);
}

} // namespace ringside
