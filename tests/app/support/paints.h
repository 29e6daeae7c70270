// SPDX-License-Identifier: MIT
// Counts how often a widget is drawn.
#pragma once

#include <QEvent>
#include <QWidget>

namespace ringside::test {

/// Counts while it lives.
class Paints : public QObject
{
public:
    explicit Paints(QWidget& widget) { widget.installEventFilter(this); }
    int count() const { return m_count; }

private:
    bool eventFilter(QObject*, QEvent* event) override
    {
        m_count += event->type() == QEvent::Paint;
        return false;
    }

    int m_count = 0;
};

} // namespace ringside::test
