// SPDX-License-Identifier: GPL-3.0-or-later
// The list behind the bell: a popup above the status bar. Enter, or a click on a message's button, does what it offers.
#pragma once

#include <QFrame>

class QListView;

namespace ringside {

class EmptyState;
class MessageLog;
class ThemeController;

class MessagePanel : public QFrame
{
public:
    MessagePanel(MessageLog& log, const ThemeController& theme, QWidget* parent);
    /// Opens it with its lower right corner at `corner` (global).
    void openAt(const QPoint& corner);

private:
    void act(const QModelIndex& index);

    MessageLog& m_log;
    QListView* m_list;
    EmptyState* m_empty;
};

} // namespace ringside
