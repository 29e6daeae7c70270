// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/drafthistory.h"

#include "app/pages/editor/experimentform.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace ringside {

DraftHistory::DraftHistory(ExperimentForm& form)
    : QObject(&form)
    , m_form(form)
{
    connect(&form, &ExperimentForm::edited, this, &DraftHistory::noteEdit);
    QApplication::instance()->installEventFilter(this);
}

void DraftHistory::begin()
{
    m_past.clear();
    m_future.clear();
    m_typedInto.clear();
    m_current = m_form.draft();
    Q_EMIT changed();
}

void DraftHistory::note()
{
    m_typedInto.clear();
    if (m_form.draft() == m_current)
        return;
    m_past.push_back(std::exchange(m_current, m_form.draft()));
    m_future.clear();
    Q_EMIT changed();
}

void DraftHistory::noteEdit()
{
    QWidget* focus = QApplication::focusWidget();
    const bool types = qobject_cast<QLineEdit*>(focus) || qobject_cast<QAbstractSpinBox*>(focus) ||
                       qobject_cast<QPlainTextEdit*>(focus);
    const bool goesOn = types && focus == m_typedInto && canUndo() && !canRedo();
    if (goesOn)
        m_current = m_form.draft();
    else
        note();
    m_typedInto = types ? focus : nullptr;
}

void DraftHistory::step(std::vector<Draft>& from, std::vector<Draft>& to)
{
    if (from.empty())
        return;
    to.push_back(std::exchange(m_current, from.back()));
    from.pop_back();
    m_typedInto.clear();
    Q_EMIT restored(m_current);
    Q_EMIT changed();
}

/// Fields would use these keys for their own typed text alone, and forget that when they are set.
bool DraftHistory::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return QObject::eventFilter(watched, event);
    const auto* keys = static_cast<QKeyEvent*>(event);
    const auto* widget = qobject_cast<QWidget*>(watched);
    const bool isOurs = keys->matches(QKeySequence::Undo) || keys->matches(QKeySequence::Redo);
    if (!isOurs || !widget || !m_form.isAncestorOf(widget))
        return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace ringside
