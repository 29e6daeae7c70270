// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/pageheader.h"

#include "app/widgets/actionbutton.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/styled.h"

#include <QVBoxLayout>

namespace ringside {

PageHeader::PageHeader(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(new ElidedLabel(LabelKind::pageTitle))
    , m_context(new ElidedLabel(LabelKind::caption))
    , m_stale(new QWidget)
    , m_staleText(new ElidedLabel(LabelKind::caption))
    , m_right(new QHBoxLayout)
{
    auto* staleRow = new QHBoxLayout(m_stale);
    staleRow->setContentsMargins({});
    staleRow->setSpacing(4);
    staleRow->addWidget(new IconLabel(theme, QStringLiteral("clock"), Ink::text2, 12));
    staleRow->addWidget(m_staleText);
    m_stale->hide();
    auto* titleRow = new QHBoxLayout;
    titleRow->setSpacing(space::kGap);
    titleRow->addWidget(m_title);
    titleRow->addWidget(m_stale);
    titleRow->addStretch();
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addLayout(titleRow);
    words->addWidget(m_context);
    m_right->setSpacing(space::kField);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(space::kGap);
    layout->addLayout(words, 1);
    layout->addLayout(m_right);
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

QString PageHeader::title() const
{
    return m_title->fullText();
}

} // namespace ringside
