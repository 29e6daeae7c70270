// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/foundcard.h"

#include "app/text/text.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/labels.h"

#include <QFormLayout>
#include <QVBoxLayout>

namespace ringside {

FoundCard::FoundCard(QAction* cleanUp)
    : Card(tr("Found here"))
    , m_rows(new QFormLayout)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_rows->setHorizontalSpacing(16);
    m_rows->setVerticalSpacing(6);
    m_rows->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    body()->addLayout(m_rows);
    addToTitle(new ActionButton(cleanUp));
    showFacts({});
}

void FoundCard::showFacts(const std::vector<SiteFact>& facts, const QString& remark)
{
    setCaption(remark);
    if (facts == m_facts)
        return;
    m_facts = facts;
    while (m_rows->rowCount() > 0)
        m_rows->removeRow(0);
    for (const SiteFact& fact : facts) {
        auto* text = makeParagraph(LabelKind::text, toQt(fact.text));
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_rows->addRow(makeLabel(LabelKind::caption, toQt(fact.label)), text);
    }
}

} // namespace ringside
