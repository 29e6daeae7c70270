// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/scrollmanners.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>

namespace ringside {

namespace {

bool changesByWheel(const QObject* object)
{
    return qobject_cast<const QComboBox*>(object) || qobject_cast<const QAbstractSpinBox*>(object);
}

} // namespace

ScrollManners::ScrollManners(QObject* parent)
    : QObject(parent)
{
    QApplication::instance()->installEventFilter(this);
}

/// An event that is ignored goes on to the parent, and so to what scrolls.
bool ScrollManners::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel || !changesByWheel(watched))
        return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace ringside
