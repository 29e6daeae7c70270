// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/actionbutton.h"

#include <QAction>
#include <QEvent>

namespace ringside {

ActionButton::ActionButton(QAction* action)
    : m_action(action)
{
    connect(action, &QAction::changed, this, [this] { follow(); });
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    follow();
}

void ActionButton::follow()
{
    setText(m_action->iconText());
    setIcon(iconOfKind());
    setToolTip(toolTipOf(*m_action));
    setEnabled(m_action->isEnabled());
    if (parentWidget() || !m_action->isVisible()) // without a parent it would be a window, and get the focus
        setVisible(m_action->isVisible());
}

bool ActionButton::event(QEvent* event)
{
    if (event->type() == QEvent::DynamicPropertyChange)
        setIcon(iconOfKind());
    return QPushButton::event(event);
}

QIcon ActionButton::iconOfKind() const
{
    const char* kind = property("primary").toBool()  ? kPrimaryIcon
                       : property("danger").toBool() ? kDangerIcon
                                                     : nullptr;
    return kind ? m_action->property(kind).value<QIcon>() : m_action->icon();
}

QString toolTipOf(const QAction& action)
{
    const QString text = action.statusTip().isEmpty() ? action.iconText() : action.statusTip();
    if (action.shortcut().isEmpty())
        return text;
    return QStringLiteral("%1 (%2)").arg(text, action.shortcut().toString(QKeySequence::NativeText));
}

} // namespace ringside
