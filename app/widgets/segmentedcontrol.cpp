// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/segmentedcontrol.h"

#include "app/widgets/arrange.h"
#include "app/widgets/styled.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QToolButton>

namespace ringside {

SegmentedControl::SegmentedControl(const QString& accessibleName, const QStringList& segments)
    : m_group(new QButtonGroup(this))
{
    setAccessibleName(accessibleName);
    fillRow(this, {}, 0);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentedControl::chosen);
    for (const QString& text : segments)
        addSegment(text);
}

void SegmentedControl::addSegment(const QString& text)
{
    auto* button = new QToolButton;
    button->setText(text);
    button->setCheckable(true);
    button->setAutoRaise(false);
    // Tab stops once, at the chosen segment.
    button->setFocusPolicy(Qt::ClickFocus);
    connect(button, &QToolButton::toggled, button,
            [button](bool chosen) { button->setFocusPolicy(chosen ? Qt::StrongFocus : Qt::ClickFocus); });
    const int segment = int(m_group->buttons().size());
    if (segment > 1)
        setStyled(*m_group->button(segment - 1), "segment", QStringLiteral("middle"));
    setStyled(*button, "segment", segment == 0 ? QStringLiteral("first") : QStringLiteral("last"));
    m_group->addButton(button, segment);
    layout()->addWidget(button);
    if (segment == 0)
        button->setChecked(true);
}

void SegmentedControl::enableShortcuts()
{
    for (auto* button : m_group->buttons())
        button->setShortcut(QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + m_group->id(button))));
}

int SegmentedControl::current() const
{
    return m_group->checkedId();
}

void SegmentedControl::setCurrent(int segment)
{
    if (auto* button = m_group->button(segment))
        button->setChecked(true);
}

void SegmentedControl::choose(int segment)
{
    auto* button = m_group->button(segment);
    if (!button || button->isChecked())
        return;
    button->setFocus();
    button->click();
}

void SegmentedControl::keyPressEvent(QKeyEvent* event)
{
    const int forward = isRightToLeft() ? Qt::Key_Left : Qt::Key_Right;
    const int back = isRightToLeft() ? Qt::Key_Right : Qt::Key_Left;
    if (event->key() == forward)
        choose(current() + 1);
    else if (event->key() == back)
        choose(current() - 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace ringside
