// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/checkslist.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QPushButton>

namespace ringside {

CheckShape shapeOf(spec::Severity severity)
{
    switch (severity) {
    case spec::Severity::blocking:
        return {QStringLiteral("octagon"), Ink::failed};
    case spec::Severity::warning:
        return {QStringLiteral("warning"), Ink::warning};
    case spec::Severity::hint:
        break;
    }
    return {QStringLiteral("info"), Ink::text2};
}

ChecksList::ChecksList(const ThemeController& theme, int most)
    : m_theme(theme)
    , m_most(most)
    , m_layout(fillColumn(this, {}, 4))
{
}

void ChecksList::show(const std::vector<spec::Check>& checks)
{
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const int shown = std::min(m_most, int(checks.size()));
    for (int i = 0; i < shown; ++i)
        addRow(checks[std::size_t(i)]);
    if (int(checks.size()) > shown)
        m_layout->addWidget(makeLabel(LabelKind::caption, tr("%n more under Checks", "", int(checks.size()) - shown)));
    if (checks.empty())
        m_layout->addWidget(makeLabel(LabelKind::caption, tr("Nothing to settle.")));
    m_layout->addStretch(1); // more than paragraphs ask for
}

void ChecksList::addRow(const spec::Check& check)
{
    auto* row = new QWidget;
    const auto [icon, ink] = shapeOf(check.severity);
    const QString text = toQt(check.hint.empty() ? check.message : check.message + " " + check.hint);
    auto* layout = fillRow(row, {new IconLabel(m_theme, icon, ink, 16), {makeParagraph(LabelKind::text, text), 1}}, 10);
    if (!check.field.empty()) {
        auto* go = link(new QPushButton(tr("Go to field")));
        go->setAccessibleDescription(toQt(check.message));
        connect(go, &QPushButton::clicked, this, [this, field = toQt(check.field)] { Q_EMIT fieldAsked(field); });
        layout->addWidget(go);
    }
    m_layout->addWidget(row);
}

} // namespace ringside
