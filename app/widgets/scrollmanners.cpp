// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/scrollmanners.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QPointer>
#include <QScrollArea>
#include <QTimer>

namespace ringside {

namespace {

bool changesByWheel(const QObject* object)
{
    return qobject_cast<const QComboBox*>(object) || qobject_cast<const QAbstractSpinBox*>(object);
}

void bringIntoSight(QWidget& widget)
{
    for (QWidget* around = widget.parentWidget(); around; around = around->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(around); area && area->widget()->isAncestorOf(&widget))
            area->ensureWidgetVisible(&widget);
}

/// A widget under the pointer is in sight, and must not move under it.
bool comesByKey(const QFocusEvent& event)
{
    const Qt::FocusReason reason = event.reason();
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason ||
           reason == Qt::OtherFocusReason;
}

} // namespace

ScrollManners::ScrollManners(QObject* parent)
    : QObject(parent)
{
    QApplication::instance()->installEventFilter(this);
}

bool ScrollManners::eventFilter(QObject* watched, QEvent* event)
{
    auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() == QEvent::FocusIn && widget && comesByKey(*static_cast<QFocusEvent*>(event)))
        // Later: what was just added has no place yet.
        QTimer::singleShot(0, this, [target = QPointer(widget)] {
            if (target)
                bringIntoSight(*target);
        });
    // An event that is ignored goes on to the parent, and so to what scrolls.
    if (event->type() != QEvent::Wheel || !changesByWheel(watched))
        return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace ringside
