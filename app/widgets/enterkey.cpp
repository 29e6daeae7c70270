// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/enterkey.h"

#include <QKeyEvent>
#include <QWidget>
#include <utility>

namespace ringside {

namespace {

class EnterKey : public QObject
{
public:
    EnterKey(QWidget& list, std::function<void()> act)
        : QObject(&list)
        , m_act(std::move(act))
    {
        list.installEventFilter(this);
    }

    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() != QEvent::KeyPress)
            return false;
        const auto* key = static_cast<const QKeyEvent*>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        const bool isPlain = !(key->modifiers() & ~Qt::KeypadModifier);
        return isEnter && isPlain ? m_act(), true : false;
    }

private:
    std::function<void()> m_act;
};

} // namespace

void onEnter(QWidget& list, std::function<void()> act)
{
    new EnterKey(list, std::move(act));
}

} // namespace ringside
