// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/card.h"

#include "app/widgets/arrange.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

namespace ringside {

namespace {

constexpr int kRoundedEnd = 4; // what a table leaves of the card's round corners

} // namespace

Card::Card()
    : m_body(makeColumn({}, space::kField))
    , m_frame(fillColumn(this, {{m_body, 1}}, 0))
{
    setProperty("card", QStringLiteral("true"));
    m_body->setContentsMargins(space::kCardX, space::kCardY, space::kCardX, space::kCardY);
}

Card::Card(const QString& title)
    : Card()
{
    setTitle(title);
}

void Card::setTitle(const QString& title)
{
    titleRow();
    m_title->setFullText(title);
}

void Card::setCaption(const QString& caption)
{
    titleRow();
    m_caption->setFullText(caption);
}

void Card::addToTitle(QWidget* widget)
{
    titleRow()->addWidget(widget);
}

void Card::fill(QWidget* widget)
{
    m_frame->setStretchFactor(m_body, 0);
    m_frame->addWidget(makeRule());
    m_frame->addWidget(widget, 1);
    m_frame->setContentsMargins(1, 0, 1, kRoundedEnd);
}

void Card::accent()
{
    // The border is 1 px wider and must not move what is inside.
    m_body->setContentsMargins(m_body->contentsMargins() - 1);
    setStyled(*this, "card", QStringLiteral("accent"));
}

QHBoxLayout* Card::titleRow()
{
    if (m_titleRow)
        return m_titleRow;
    m_title = new ElidedLabel(LabelKind::cardTitle);
    m_caption = new ElidedLabel(LabelKind::caption);
    m_caption->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_titleRow = makeRow({m_title, {m_caption, 1}}, space::kField);
    m_body->insertLayout(0, m_titleRow);
    return m_titleRow;
}

} // namespace ringside
