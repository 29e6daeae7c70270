// SPDX-License-Identifier: GPL-3.0-or-later
// Shown by a page without contents: an icon, one sentence, at most two buttons.
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;

namespace ringside {

class ThemeController;

class EmptyState : public QWidget
{
public:
    EmptyState(const ThemeController& theme, const QString& icon, const QString& sentence);
    /// The button runs the action and follows its text. The first one has the focus for all of this.
    void addAction(QAction* action);
    void setSentence(const QString& sentence);

private:
    QLabel* m_sentence;
    QHBoxLayout* m_buttons;
};

} // namespace ringside
