// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/fieldnote.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QAccessible>
#include <QEvent>
#include <QTimer>
#include <algorithm>

namespace ringside {

FieldPlace placeOf(const std::string& field)
{
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos)
        return {{}, field.substr(0, field.find('['))};
    return {field.substr(0, dot), field.substr(dot + 1, field.find('[', dot) - dot - 1)};
}

FieldNote::FieldNote(const ThemeController& theme, QWidget& field)
    : m_field(field)
    , m_icon(new IconLabel(theme, QStringLiteral("octagon"), Ink::failed, 14))
    , m_text(makeParagraph(LabelKind::error))
{
    fillRow(this, {{m_icon, 0, Qt::AlignTop}, {m_text, 1}}, 6);
    hide();
}

void FieldNote::setNote(spec::Severity severity, const QString& text)
{
    const bool blocks = severity == spec::Severity::blocking && !text.isEmpty();
    const bool news = blocks && m_text->text() != text;
    const auto shape = shapeOf(severity);
    m_icon->setIcon(shape.icon, shape.ink);
    m_text->setText(text);
    setStyled(*m_text, "kind",
              severity == spec::Severity::blocking ? QStringLiteral("error") : QStringLiteral("warning"));
    setStyled(m_field, "invalid", blocks);
    m_field.setAccessibleDescription(text);
    setVisible(!text.isEmpty());
    fit();
    if (news) {
        QAccessibleEvent event(&m_field, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }
}

bool FieldNote::event(QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        QTimer::singleShot(0, this, &FieldNote::fit); // not within the layout that resizes it
    return QWidget::event(event);
}

/// As high as the text at this width: a form that scrolls would reserve what the narrowest text needs.
void FieldNote::fit()
{
    const int textWidth = width() - m_icon->sizeHint().width() - layout()->spacing();
    setFixedHeight(std::max(m_icon->sizeHint().height(), m_text->heightForWidth(textWidth)));
}

void FieldNote::setNote(const spec::Check* check)
{
    if (!check)
        return setNote(spec::Severity::warning, {});
    setNote(check->severity, toQt(check->hint.empty() ? check->message : check->message + " " + check->hint));
}

} // namespace ringside
